/** A point in time that belongs to an item, until the item is dropped. */
export interface Deadline<T> {
  readonly at: number
  /** Of equal times the one added first comes first. */
  readonly order: number
  item: T | undefined
}

/** Dropped deadlines that are kept at most, where there are fewer live ones. */
const slack = 64

/**
 * Items by deadline. A dropped deadline lets go of its item at once but stays until its time comes or until half of all
 * are dropped, so dropping is constant, and so is adding in order of time, as a queue with one timeout does.
 */
export class DeadlineHeap<T> {
  #heap: Deadline<T>[] = []
  #dropped = 0
  #added = 0

  /** No deadline is before this; infinite without any. */
  get bound(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY
  }

  /** The earliest deadline that is not dropped; infinite without any. */
  get earliest(): number {
    while (this.#heap.length > 0 && this.#heap[0]?.item === undefined) this.#shift()
    return this.bound
  }

  add(at: number, item: T): Deadline<T> {
    const deadline: Deadline<T> = { at, order: this.#added++, item }
    const heap = this.#heap
    let hole = heap.push(deadline) - 1
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      const above = heap[parent] as Deadline<T>
      if (above.at <= at) break
      heap[hole] = above
      hole = parent
    }
    heap[hole] = deadline
    return deadline
  }

  drop(deadline: Deadline<T>): void {
    if (deadline.item === undefined) return
    deadline.item = undefined
    this.#dropped++
    if (this.#dropped <= slack || this.#dropped * 2 <= this.#heap.length) return
    this.#heap = this.#heap.filter(({ item }) => item !== undefined)
    this.#dropped = 0
    for (let i = (this.#heap.length >> 1) - 1; i >= 0; i--) this.#sink(i, this.#heap[i] as Deadline<T>)
  }

  /** Takes out an item whose deadline is before `now`, the earliest first. */
  shiftBefore(now: number): T | undefined {
    while (this.bound < now) {
      const item = this.#shift()
      if (item !== undefined) return item
    }
    return undefined
  }

  clear(): void {
    this.#heap.length = 0
    this.#dropped = 0
  }

  #shift(): T | undefined {
    const [first] = this.#heap
    const last = this.#heap.pop() as Deadline<T>
    if (this.#heap.length > 0) this.#sink(0, last)
    const item = first?.item
    if (item === undefined) this.#dropped--
    else (first as Deadline<T>).item = undefined
    return item
  }

  /** Puts `deadline` at `hole` or below it. */
  #sink(start: number, deadline: Deadline<T>): void {
    const heap = this.#heap
    let hole = start
    for (;;) {
      let child = 2 * hole + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++
      if (isBefore(deadline, heap[child])) break
      heap[hole] = heap[child] as Deadline<T>
      hole = child
    }
    heap[hole] = deadline
  }
}

function isBefore(a: Deadline<unknown> | undefined, b: Deadline<unknown> | undefined): boolean {
  if (a === undefined || b === undefined) return false
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
