type Entry = readonly [name: string, value: string]

/** What the protocol adds to the length of a name and a value. Source: RFC 7541, section 4.1. */
export const entryOverhead = 32

export const entrySize = ([name, value]: Entry): number => name.length + value.length + entryOverhead

/** Headers that the client has sent before, the latest first. Source: RFC 7541, section 2.3.2. */
export class DynamicTable {
  /** The latest last. */
  readonly #entries: Entry[] = []
  #size = 0
  #maxSize: number

  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  /** @param index 0 is the latest entry. */
  get(index: number): Entry | undefined {
    return this.#entries[this.#entries.length - 1 - index]
  }

  add(entry: Entry): void {
    this.#entries.push(entry)
    this.#size += entrySize(entry)
    this.#evict()
  }

  resize(maxSize: number): void {
    this.#maxSize = maxSize
    this.#evict()
  }

  #evict(): void {
    let count = 0
    while (this.#size > this.#maxSize) this.#size -= entrySize(this.#entries[count++] as Entry)
    if (count > 0) this.#entries.splice(0, count)
  }
}
