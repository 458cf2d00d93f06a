/** Elements of a tensor of this shape; 1 for a scalar (`[]`). Dimensions must be known (no -1). */
export function elementCount(shape: readonly number[]): number {
  let count = 1
  for (const dim of shape) count *= dim
  return count
}

/** `[1,16]`, as Triton prints shapes: every digit of a large dimension. */
export const shapeText = (shape: readonly number[]): string => `[${shape.map(dimText).join(',')}]`

const dimText = (dim: number): number | bigint => (Number.isInteger(dim) ? BigInt(dim) : dim)
