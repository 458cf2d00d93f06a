/**
 * Things that something is done with when they have been here for a while: for one to two ticks. It does not keep the
 * process alive.
 */
export class TwoTurns<T> {
  readonly #tickMilliseconds: number
  readonly #act: (item: T) => void
  #recent: T[] = []
  #older: T[] = []
  #isTicking = false

  constructor(tickMilliseconds: number, act: (item: T) => void) {
    this.#tickMilliseconds = tickMilliseconds
    this.#act = act
  }

  add(item: T): void {
    this.#recent.push(item)
    if (!this.#isTicking) this.#tick()
  }

  #tick(): void {
    this.#isTicking = true
    setTimeout(this.#turn, this.#tickMilliseconds).unref()
  }

  readonly #turn = (): void => {
    const due = this.#older
    this.#older = this.#recent
    this.#recent = []
    this.#isTicking = false
    if (this.#older.length > 0) this.#tick()
    for (const item of due) this.#act(item)
  }
}
