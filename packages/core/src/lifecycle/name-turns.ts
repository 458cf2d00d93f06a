/**
 * Lets loads and unloads of a name begin in the order of the calls, although it takes a look at the repositories to find
 * out which models the name is for.
 */
export class NameTurns {
  /** The end of the latest turn of each name; none of them rejects. */
  readonly #last = new Map<string, Promise<void>>()

  /**
   * Finds and begins when every earlier turn of the name has begun; the next one does not wait for what was begun.
   * @param find the ids of the models that the name is for.
   * @param begin what is done with them.
   * @returns an object, since what was begun is not waited for.
   */
  take<T>(
    name: string,
    find: () => Promise<readonly string[]>,
    begin: (ids: readonly string[]) => Promise<T>,
  ): Promise<{ readonly begun: Promise<T> }> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const turn = before.then(async () => ({ begun: begin(await find()) }))
    const end = turn
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        if (this.#last.get(name) === end) this.#last.delete(name)
      })
    this.#last.set(name, end)
    return turn
  }
}
