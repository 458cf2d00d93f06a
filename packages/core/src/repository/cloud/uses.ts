/** Counts the uses of something, and gives it back when it is closed and the last use has ended. */
export class Uses {
  readonly #giveBack: () => Promise<void>
  #count = 0
  #isClosed = false

  constructor(giveBack: () => Promise<void>) {
    this.#giveBack = giveBack
  }

  /** Begins a use and returns what ends it, once however often it is called; undefined when there is nothing to use any more. */
  begin(): (() => Promise<void>) | undefined {
    if (this.#isClosed) return undefined
    this.#count++
    let hasEnded = false
    return async () => {
      if (hasEnded) return
      hasEnded = true
      this.#count--
      await this.#giveBackUnused()
    }
  }

  /** Called once. Uses that have begun may go on; when there is one, this does not wait for it. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#giveBackUnused()
  }

  async #giveBackUnused(): Promise<void> {
    if (this.#isClosed && this.#count === 0) await this.#giveBack()
  }
}
