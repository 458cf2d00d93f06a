import type { Tensor } from '../request/tensor.ts'

/** Whether two shapes are the same where neither has -1, which is any size. */
export function dimsMatch(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && a[i] !== -1 && b[i] !== -1) return false
  return true
}

/**
 * Hands a tensor between a model with batching and one without, as Triton does: it gets a leading 1 where it fits without
 * one, or loses a batch dimension of 1 where it does not fit with it. Any other stays as it is, and whoever gets it says
 * whether it fits. The data are shared.
 * @param batchSize leading dimension of the request that the tensor came with; 0 from a model without batching.
 * @param batching whether whoever gets it has a batch dimension.
 * @param dims what whoever gets it expects, without the batch dimension.
 */
export function adaptBatch(tensor: Tensor, batchSize: number, batching: boolean, dims: readonly number[]): Tensor {
  if (batching === (batchSize !== 0)) return tensor
  const { shape } = tensor
  const fits = dimsMatch(dims, shape)
  if (batching) return fits ? tensor.reshape([1, ...shape]) : tensor
  return !fits && batchSize === 1 ? tensor.reshape(shape.slice(1)) : tensor
}
