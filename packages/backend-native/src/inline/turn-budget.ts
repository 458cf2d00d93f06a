/** Milliseconds of one turn of the event loop that inline runs may take together. */
const turnMilliseconds = 0.5

/**
 * What inline runs may still take of this turn of the event loop. Runs follow each other in promise callbacks, which all
 * belong to one turn: without a limit a caller that asks again at every answer would keep timers and sockets waiting.
 */
export class TurnBudget {
  #left = turnMilliseconds
  #isCounting = false

  get isSpent(): boolean {
    return this.#left <= 0
  }

  spend(milliseconds: number): void {
    this.#left -= milliseconds
    if (this.#isCounting) return
    this.#isCounting = true
    setImmediate(this.#renew)
  }

  readonly #renew = (): void => {
    this.#isCounting = false
    this.#left = turnMilliseconds
  }
}
