import { abortable } from '../../util/abortable.ts'

/** Does pieces of work with the same key one after the other, in their order. */
export class OneAtATime {
  /** The end of the last piece by key; it never rejects. */
  readonly #ends = new Map<string, Promise<void>>()

  /** @throws the reason of the signal when it is aborted before the turn comes; else as `work` does. */
  async run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(key)
    const mine = before === undefined ? work() : abortable(before, signal).then(work)
    // A piece that is given up while it waits is over only when the one before it is.
    const end = Promise.allSettled([before, mine]).then(() => {
      if (this.#ends.get(key) === end) this.#ends.delete(key)
    })
    this.#ends.set(key, end)
    return mine
  }
}
