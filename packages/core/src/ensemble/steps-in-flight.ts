import type { StepRun } from './step-run.ts'

/** Where steps wait that have to because of `max_inflight_requests`. */
export interface StepLine {
  /** Takes a step out; false when it does not wait there. */
  giveUp(run: StepRun): boolean
}

/** The steps of one ensemble request that have their inputs and not their last response. */
export class StepsInFlight {
  #count = 0
  /** Those that had to wait in the line, until they are sent. */
  #heldBack: Set<StepRun> | undefined
  #isClosed = false
  #changed: Promise<void> | undefined
  #onChange: (() => void) | undefined

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** A step has its inputs and is to be sent. */
  add(run: StepRun): void {
    this.#count++
    for (let from = run.from; from !== undefined; from = from.from) from.unsent++
  }

  holdBack(run: StepRun): void {
    this.#heldBack ??= new Set()
    this.#heldBack.add(run)
  }

  sent(run: StepRun): void {
    this.#heldBack?.delete(run)
    for (let from = run.from; from !== undefined; from = from.from) from.unsent--
    this.#tell()
  }

  /** A step has its last response, or never gets one. */
  over(): void {
    this.#count--
  }

  /** Nothing more is sent: what stands in the line is over, and nobody has to wait for room any more. */
  close(line: StepLine): void {
    for (const run of this.#heldBack ?? []) if (line.giveUp(run)) this.over()
    this.#isClosed = true
    this.#tell()
  }

  /**
   * Undefined when nothing that came of the responses of `run` waits to be sent and `next` has room; else a promise that
   * is resolved when that holds. Others are not waited for: they may wait for `run` itself to end.
   */
  room(run: StepRun, next: () => Promise<void> | undefined): Promise<void> | undefined {
    if (this.#isClosed) return undefined
    return run.unsent === 0 ? next() : this.#whenSent(run, next)
  }

  async #whenSent(run: StepRun, next: () => Promise<void> | undefined): Promise<void> {
    while (run.unsent > 0 && !this.#isClosed) {
      this.#changed ??= new Promise((resolve) => {
        this.#onChange = resolve
      })
      await this.#changed
    }
    if (!this.#isClosed) await next()
  }

  #tell(): void {
    this.#onChange?.()
    this.#onChange = undefined
    this.#changed = undefined
  }
}
