/** Items of which the first by an order can be had at once; to add or take one costs the logarithm of their number. */
export class BinaryHeap<T> {
  readonly #isBefore: (a: T, b: T) => boolean
  #items: T[] = []

  /** @param isBefore the order; of two different items one must be before the other. */
  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get length(): number {
    return this.#items.length
  }

  get first(): T | undefined {
    return this.#items[0]
  }

  /** Takes constant time where items come in their order. */
  push(item: T): void {
    const items = this.#items
    let hole = items.push(item) - 1
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      const above = items[parent] as T
      if (!this.#isBefore(item, above)) break
      items[hole] = above
      hole = parent
    }
    items[hole] = item
  }

  shift(): T | undefined {
    const items = this.#items
    const [first] = items
    const last = items.pop()
    if (last !== undefined && items.length > 0) this.#sink(0, last)
    return first
  }

  /** Takes out all others; costs their number. */
  keep(isKept: (item: T) => boolean): void {
    this.#items = this.#items.filter(isKept)
    for (let i = (this.#items.length >> 1) - 1; i >= 0; i--) this.#sink(i, this.#items[i] as T)
  }

  clear(): void {
    this.#items.length = 0
  }

  /** Puts `item` at `hole` or below it. */
  #sink(start: number, item: T): void {
    const items = this.#items
    let hole = start
    for (;;) {
      let child = 2 * hole + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#isBefore(items[child + 1] as T, items[child] as T)) child++
      if (this.#isBefore(item, items[child] as T)) break
      items[hole] = items[child] as T
      hole = child
    }
    items[hole] = item
  }
}
