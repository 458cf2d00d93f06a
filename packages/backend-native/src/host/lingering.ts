const lingerMilliseconds = 100

export interface Lingerer {
  /** Nothing is expected any more. */
  forget(): void
}

/**
 * Keeps what is through for a moment: libraries may report the times of a run, or of its last response, after its end.
 * It does not keep the process alive.
 */
export class Lingering {
  #recent: Lingerer[] = []
  #older: Lingerer[] = []
  #isTicking = false

  /** Calls `forget` within 100 to 200 ms. */
  add(lingerer: Lingerer): void {
    this.#recent.push(lingerer)
    if (!this.#isTicking) this.#tick()
  }

  #tick(): void {
    this.#isTicking = true
    setTimeout(this.#turn, lingerMilliseconds).unref()
  }

  readonly #turn = (): void => {
    const through = this.#older
    this.#older = this.#recent
    this.#recent = []
    this.#isTicking = false
    if (this.#older.length > 0) this.#tick()
    for (const lingerer of through) lingerer.forget()
  }
}
