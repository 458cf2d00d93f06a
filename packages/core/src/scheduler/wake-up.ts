import type { Clock, Timer } from '../util/clock.ts'

/** One timer, which is only set anew when it would come too late. So it may come early: look, and set it again. */
export class WakeUp {
  readonly #clock: Clock
  readonly #callback: () => void
  #timer: Timer | undefined
  #at = Number.POSITIVE_INFINITY

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock
    this.#callback = callback
  }

  /** When it comes; infinite when it is not set. */
  get at(): number {
    return this.#at
  }

  /** Sets it, to come at `time` at the latest. */
  by(time: number): void {
    if (time >= this.#at) return
    this.#timer?.cancel()
    this.#at = time
    this.#timer = this.#clock.schedule(this.#fire, time - this.#clock.now())
  }

  cancel(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#at = Number.POSITIVE_INFINITY
  }

  readonly #fire = (): void => {
    this.#timer = undefined
    this.#at = Number.POSITIVE_INFINITY
    this.#callback()
  }
}
