import type { Clock, Timer } from '../util/clock.ts'

/** Tells when somebody has been the first in a line for too long, and again as long as that is so. */
export class Patience<Waiting> {
  readonly #clock: Clock
  /** Milliseconds. */
  readonly #limit: number
  readonly #onEnd: (first: Waiting) => void
  #first: Waiting | undefined
  #timer: Timer | undefined

  constructor(clock: Clock, limit: number, onEnd: (first: Waiting) => void) {
    this.#clock = clock
    this.#limit = limit
    this.#onEnd = onEnd
  }

  /** Who is the first now, if anybody waits. */
  set first(first: Waiting | undefined) {
    if (first === this.#first) return
    this.#first = first
    this.#timer?.cancel()
    if (first !== undefined) this.#begin(first)
  }

  #begin(first: Waiting): void {
    const end = (): void => {
      this.#begin(first)
      this.#onEnd(first)
    }
    this.#timer = this.#clock.schedule(end, this.#limit)
  }
}
