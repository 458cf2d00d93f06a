/**
 * The shape of an item after a configured `reshape`: fixed sizes are the reshape's own, each -1 in it takes the size
 * that the item has at the -1 of the same rank in `dims`. Batch dimensions are not part of any of the three.
 */
export function reshapeItem(item: readonly number[], dims: readonly number[], reshape: readonly number[]): number[] {
  const sizes = item.filter((_, i) => dims[i] === -1)
  return reshape.map((dim) => (dim === -1 ? (sizes.shift() as number) : dim))
}
