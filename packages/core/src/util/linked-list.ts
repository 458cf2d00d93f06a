/** What an item of a `LinkedList` carries. Only the list writes it. */
export interface Linked<T extends Linked<T>> {
  /** The list that the item is in. */
  list: LinkedList<T> | undefined
  previous: T | undefined
  next: T | undefined
}

/** A queue whose items know their place, so that any of them can be taken out in constant time. */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined
  #last: T | undefined
  #length = 0

  get first(): T | undefined {
    return this.#first
  }

  get length(): number {
    return this.#length
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let item = this.#first; item !== undefined; item = item.next) yield item
  }

  /** Appends an item that is in no list. */
  push(item: T): void {
    item.list = this
    item.previous = this.#last
    if (this.#last === undefined) this.#first = item
    else this.#last.next = item
    this.#last = item
    this.#length++
  }

  /** Takes out an item; false when it is not here. */
  remove(item: T): boolean {
    if (item.list !== this) return false
    if (item.previous === undefined) this.#first = item.next
    else item.previous.next = item.next
    if (item.next === undefined) this.#last = item.previous
    else item.next.previous = item.previous
    item.list = undefined
    item.previous = undefined
    item.next = undefined
    this.#length--
    return true
  }
}
