/** Elements of a tensor of this shape; 1 for a scalar (`[]`). Dimensions must be known (no -1). */
export function elementCount(shape: readonly number[]): number {
  let count = 1
  for (const dim of shape) count *= dim
  return count
}

/** `[1,16]`, as Triton prints shapes. */
export const shapeText = (shape: readonly number[]): string => `[${shape.join(',')}]`
