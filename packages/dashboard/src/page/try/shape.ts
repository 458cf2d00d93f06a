/** The smallest shape: 1 where any size is allowed. */
export const smallestShape = (dims: readonly number[]): number[] => dims.map((dim) => (dim === -1 ? 1 : dim))

export const sizeOf = (shape: readonly number[]): number => shape.reduce((size, dim) => size * dim, 1)

/** `2 × 3`; of no dimensions `scalar`. */
export const shapeText = (dims: readonly number[]): string =>
  dims.length === 0 ? 'scalar' : dims.map((dim) => (dim === -1 ? 'any' : dim)).join(' × ')

/**
 * The shape of what was typed: that of nested lists where they have as many levels as there are dimensions; otherwise
 * the last dimension of any size takes what the fixed ones leave, and others of any size are 1.
 * @param nesting sizes of the lists, outermost first.
 * @throws Error when there is no such shape.
 */
export function shapeFor(dims: readonly number[], nesting: readonly number[], elements: number): number[] {
  const fits = nesting.length === dims.length && nesting.every((size, i) => dims[i] === -1 || dims[i] === size)
  if (fits && sizeOf(nesting) === elements) return [...nesting]
  let left = elements / sizeOf(dims.filter((dim) => dim !== -1))
  const shape = [...dims]
  for (let i = shape.length - 1; i >= 0; i--) {
    if (shape[i] !== -1) continue
    shape[i] = left
    left = 1
  }
  if (left === 1 && shape.every((dim) => Number.isInteger(dim) && dim >= 0)) return shape
  throw new Error(`${elements} value${elements === 1 ? '' : 's'} do not fit ${shapeText(dims)}`)
}
