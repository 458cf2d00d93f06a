const alignment = 64

interface Range {
  offset: number
  size: number
}

/** Which parts of a region are free: first fit, neighbours are joined again. */
export class BlockList {
  /** By offset; no two touch. */
  readonly #free: Range[] = []
  /** Sizes by offset. */
  readonly #used = new Map<number, number>()
  #size = 0

  /** Bytes that it manages. */
  get size(): number {
    return this.#size
  }

  get blocks(): number {
    return this.#used.size
  }

  /** Bytes that a region must be grown by to have room for a block. */
  missing(size: number): number {
    const last = this.#free.at(-1)
    const tail = last !== undefined && last.offset + last.size === this.#size ? last.size : 0
    return aligned(size) - tail
  }

  /** @returns its offset, or undefined when no free range is large enough. */
  allocate(size: number): number | undefined {
    const needed = aligned(size)
    const index = this.#free.findIndex((range) => range.size >= needed)
    const range = this.#free[index]
    if (range === undefined) return undefined
    const { offset } = range
    if (range.size === needed) this.#free.splice(index, 1)
    else {
      range.offset += needed
      range.size -= needed
    }
    this.#used.set(offset, needed)
    return offset
  }

  /** Does nothing for an offset at which no block begins. */
  free(offset: number): void {
    const size = this.#used.get(offset)
    if (size === undefined) return
    this.#used.delete(offset)
    this.#add(offset, size)
  }

  /** The region has become larger. */
  grow(bytes: number): void {
    const offset = this.#size
    this.#size += bytes
    this.#add(offset, bytes)
  }

  #add(offset: number, size: number): void {
    let index = this.#free.findIndex((range) => range.offset > offset)
    if (index < 0) index = this.#free.length
    const before = this.#free[index - 1]
    const after = this.#free[index]
    const joinsBefore = before !== undefined && before.offset + before.size === offset
    const joinsAfter = after !== undefined && offset + size === after.offset
    if (joinsBefore) {
      before.size += size + (joinsAfter ? after.size : 0)
      if (joinsAfter) this.#free.splice(index, 1)
    } else if (joinsAfter) {
      after.offset = offset
      after.size += size
    } else this.#free.splice(index, 0, { offset, size })
  }
}

const aligned = (size: number): number => Math.max(alignment, Math.ceil(size / alignment) * alignment)
