/** The memory that this process has, read at most once in each turn of the event loop: to ask the system takes a while. */
export class RecentRss {
  #bytes: number | undefined

  /** As it was when it was first asked for in this turn. */
  get bytes(): number {
    if (this.#bytes === undefined) {
      this.#bytes = process.memoryUsage.rss()
      setImmediate(() => {
        this.#bytes = undefined
      })
    }
    return this.#bytes
  }
}
