import { BinaryHeap } from '../util/binary-heap.ts'

/** A deadline has passed only after it; this many milliseconds are enough. */
export const afterDeadline = 0.001

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
  readonly #heap = new BinaryHeap<Deadline<T>>(isBefore)
  #dropped = 0
  #added = 0

  /** No deadline is before this; infinite without any. */
  get bound(): number {
    return this.#heap.first?.at ?? Number.POSITIVE_INFINITY
  }

  /** The earliest deadline that is not dropped; infinite without any. */
  get earliest(): number {
    while (this.#heap.first !== undefined && this.#heap.first.item === undefined) this.#shift()
    return this.bound
  }

  add(at: number, item: T): Deadline<T> {
    const deadline: Deadline<T> = { at, order: this.#added++, item }
    this.#heap.push(deadline)
    return deadline
  }

  drop(deadline: Deadline<T>): void {
    if (deadline.item === undefined) return
    deadline.item = undefined
    this.#dropped++
    if (this.#dropped <= slack || this.#dropped * 2 <= this.#heap.length) return
    this.#heap.keep(({ item }) => item !== undefined)
    this.#dropped = 0
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
    this.#heap.clear()
    this.#dropped = 0
  }

  #shift(): T | undefined {
    const first = this.#heap.shift() as Deadline<T>
    const { item } = first
    if (item === undefined) this.#dropped--
    else first.item = undefined
    return item
  }
}

const isBefore = (a: Deadline<unknown>, b: Deadline<unknown>): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order)
