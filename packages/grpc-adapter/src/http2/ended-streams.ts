/** Streams that are remembered; a power of two. */
const capacity = 256

/**
 * How the latest streams of a connection ended, which decides what a late frame means. Source: RFC 9113, section 5.1.
 */
export class EndedStreams {
  /** The stream at each place, negative where this side gave it up; one that comes later takes its place. */
  readonly #ids = new Int32Array(capacity)

  /** @param wasReset whether this side gave it up, so that frames of it may still be on their way. */
  add(id: number, wasReset: boolean): void {
    this.#ids[placeOf(id)] = wasReset ? -id : id
  }

  /** Whether this side gave it up; undefined for one that never was, and for one of long ago. */
  wasReset(id: number): boolean | undefined {
    const known = this.#ids[placeOf(id)]
    if (known === id) return false
    return known === -id ? true : undefined
  }
}

/** Streams of clients have odd numbers. */
const placeOf = (id: number): number => (id >>> 1) & (capacity - 1)
