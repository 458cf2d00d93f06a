import type { StepRun } from './step-run.ts'

/**
 * Whether what the steps of one request leave can be sent on; a step is asked to wait while what came of its responses
 * is not. It never waits for others: what waits for a step that is full may wait for that very step.
 */
export class SendRoom {
  #isClosed = false
  #changed: Promise<void> | undefined
  #onChange: (() => void) | undefined

  /** Undefined when nothing that came of `run` waits and `next` has room; else a promise that is resolved when that holds. */
  room(run: StepRun, next: () => Promise<void> | undefined): Promise<void> | undefined {
    if (this.#isClosed) return undefined
    return run.unsent === 0 ? next() : this.#whenSent(run, next)
  }

  /** A step has its inputs and is to be sent. */
  enter(run: StepRun): void {
    for (let from = run.from; from !== undefined; from = from.from) from.unsent++
  }

  /** It was sent. */
  leave(run: StepRun): void {
    for (let from = run.from; from !== undefined; from = from.from) from.unsent--
    this.#tell()
  }

  /** Nothing more is sent: nobody has to wait any more. */
  close(): void {
    this.#isClosed = true
    this.#tell()
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
