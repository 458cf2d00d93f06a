import { WakeUp } from '../scheduler/wake-up.ts'
import type { Clock } from '../util/clock.ts'
import { LinkedList } from '../util/linked-list.ts'
import type { StepRun } from './step-run.ts'

/** Milliseconds after which a step that waits is run in spite of the limit, as in Triton. */
const longestWait = 300_000

/** `max_inflight_requests` of one step: those of its runs that may be in flight, and those that wait for it. */
export class StepLimiter {
  readonly #limit: number
  readonly #clock: Clock
  readonly #proceed: (runs: readonly StepRun[]) => void
  readonly #waiting = new LinkedList<StepRun>()
  readonly #wakeUp: WakeUp
  #inflight = 0

  /** @param proceed takes those that have waited for too long, and runs them. */
  constructor(limit: number, clock: Clock, proceed: (runs: readonly StepRun[]) => void) {
    this.#limit = limit
    this.#clock = clock
    this.#proceed = proceed
    this.#wakeUp = new WakeUp(clock, () => this.#endLongWaits())
  }

  /** False when the run has to wait; it is in flight otherwise. */
  admit(run: StepRun): boolean {
    if (this.#inflight < this.#limit) {
      this.#count(run)
      return true
    }
    run.waitingSince = this.#clock.now()
    this.#waiting.push(run)
    this.#wakeUp.by(run.waitingSince + longestWait)
    return false
  }

  /** A run is over. Returns the one that has its place now. */
  next(): StepRun | undefined {
    this.#inflight--
    return this.#inflight < this.#limit ? this.#take() : undefined
  }

  /** Takes out a run that waits; false when it does not. */
  remove(run: StepRun): boolean {
    const wasWaiting = this.#waiting.remove(run)
    if (this.#waiting.length === 0) this.#wakeUp.cancel()
    return wasWaiting
  }

  #take(): StepRun | undefined {
    const { first } = this.#waiting
    if (first === undefined) return undefined
    this.remove(first)
    this.#count(first)
    return first
  }

  #count(run: StepRun): void {
    run.isAdmitted = true
    this.#inflight++
  }

  #endLongWaits(): void {
    const latest = this.#clock.now() - longestWait
    const runs: StepRun[] = []
    for (let first = this.#waiting.first; first !== undefined && first.waitingSince <= latest; ) {
      runs.push(this.#take() as StepRun)
      first = this.#waiting.first
    }
    if (this.#waiting.first !== undefined) this.#wakeUp.by(this.#waiting.first.waitingSince + longestWait)
    if (runs.length > 0) this.#proceed(runs)
  }
}
