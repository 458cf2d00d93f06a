import type { ModelInput, ModelOutput } from '../model-config.ts'
import type { ProblemList } from './problem-list.ts'

const greatestCount = 2n ** 63n - 1n

/** A dimension in a configuration is a size or -1, any size. */
export const isDimension = (dim: number): boolean => dim >= 1 || dim === -1

/** A reshape under check. */
interface Reshaping {
  /** How Triton's texts begin and end. */
  readonly subject: string
  readonly suffix: string
  readonly path: string
  /** Whether the tensor's dims are there and valid. */
  readonly hasDims: boolean
  readonly tensor: ModelInput | ModelOutput
  readonly shape: readonly number[]
}

/** Dims and reshape must hold as many elements, also between any two variable dimensions; an empty reshape holds one. */
export function checkReshape(list: ProblemList, { subject, suffix, path, hasDims, tensor, shape }: Reshaping): void {
  const reshapePath = `${path}.reshape`
  const dimension = 'reshape dimensions must be integer >= 1, or -1 to indicate a variable-size dimension'
  const isValid = list.require(shape.every(isDimension), reshapePath, `${subject} ${dimension}${suffix}`)
  if (!isValid || !hasDims) return
  const { name, dims } = tensor
  const overflow = [`${name} dims`, `${name} reshape`].filter((_, index) => overflows(index === 0 ? dims : shape))
  for (const tensorName of overflow) {
    const message = `element count for tensor '${tensorName}' exceeds maximum size of ${greatestCount}${suffix}`
    list.add(reshapePath, message)
  }
  if (overflow.length > 0) return
  const sizes = partSizes(dims)
  const reshapedSizes = partSizes(shape)
  if (dims.includes(-1) && shape.includes(-1) && sizes.length !== reshapedSizes.length) {
    const why = 'has different number of variable-size dimensions for dims and reshape'
    list.add(reshapePath, `${subject} ${why}${suffix}`)
  } else if (sizes.length !== reshapedSizes.length || sizes.some((size, index) => size !== reshapedSizes[index])) {
    list.add(reshapePath, `${subject} has different size for dims and reshape${suffix}`)
  }
}

/** Triton counts up to the first variable dimension only. */
function overflows(dims: readonly number[]): boolean {
  return partSizes(dims)[0]! > greatestCount
}

/** The element counts of the parts between variable dimensions. */
function partSizes(dims: readonly number[]): bigint[] {
  const sizes = [1n]
  for (const dim of dims) {
    if (dim === -1) sizes.push(1n)
    else sizes[sizes.length - 1]! *= BigInt(dim)
  }
  return sizes
}
