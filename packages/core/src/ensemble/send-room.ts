/** Whether steps of one request wait to be sent; those before them are asked to wait, too. */
export class SendRoom {
  #waiting = 0
  #isClosed = false
  #emptied: Promise<void> | undefined
  #onEmpty: (() => void) | undefined

  get waiting(): number {
    return this.#waiting
  }

  /** Undefined when nothing waits and `next` has room; else a promise that is resolved when that holds. */
  room(next: () => Promise<void> | undefined): Promise<void> | undefined {
    if (this.#isClosed) return undefined
    return this.#waiting === 0 ? next() : this.#whenEmpty(next)
  }

  enter(): void {
    this.#waiting++
  }

  leave(count = 1): void {
    this.#waiting -= count
    if (this.#waiting === 0) this.#tell()
  }

  /** The request is over: nobody has to wait any more. */
  close(): void {
    this.#isClosed = true
    this.#tell()
  }

  async #whenEmpty(next: () => Promise<void> | undefined): Promise<void> {
    while (this.#waiting > 0 && !this.#isClosed) {
      this.#emptied ??= new Promise((resolve) => {
        this.#onEmpty = resolve
      })
      await this.#emptied
    }
    if (!this.#isClosed) await next()
  }

  #tell(): void {
    this.#onEmpty?.()
    this.#onEmpty = undefined
    this.#emptied = undefined
  }
}
