/** What was found, and how much it is like what was sought. */
export interface Found<Item> {
  readonly item: Item
  readonly score: number
}

/** Items by vectors of length 1. Every search compares all of them, which is exact, and fast up to some ten thousand. */
export class VectorIndex<Item> {
  readonly #entries: { readonly vector: Float32Array; readonly item: Item }[] = []

  add(vector: Float32Array, item: Item): void {
    this.#entries.push({ vector, item })
  }

  /** The items whose vectors are nearest to this one, the nearest first. */
  nearest(vector: Float32Array, count: number): Found<Item>[] {
    return this.#entries
      .map(({ vector: other, item }) => ({ item, score: product(vector, other) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, count)
  }
}

/** Of vectors of length 1: the cosine of their angle. */
function product(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
