/** An execution that is through sooner is worth looking for in every turn of the event loop, instead of waiting to be woken. */
export const shortRunMilliseconds = 0.1
const lookMilliseconds = 0.15

/** Asks the addon for events in every turn of the event loop, for a moment. */
export class Looker {
  readonly #drain: (again: boolean) => boolean
  #until = 0
  #isLooking = false

  /** @param drain delivers what has gathered; it is told whether the looker means to come again, and answers whether it should. */
  constructor(drain: (again: boolean) => boolean) {
    this.#drain = drain
  }

  /** @param now milliseconds, as `performance.now()` tells them. */
  look(now: number): void {
    this.#until = now + lookMilliseconds
    if (this.#isLooking) return
    this.#isLooking = true
    setImmediate(this.#look)
  }

  readonly #look = (): void => {
    if (this.#drain(performance.now() < this.#until)) setImmediate(this.#look)
    else this.#isLooking = false
  }
}
