import { TritonError } from '../errors.ts'
import { dataTypeSizes, type NumericArray } from '../request/data-type.ts'
import { elementCount } from '../request/shape.ts'
import { Tensor, type TensorData } from '../request/tensor.ts'
import type { ExecutionRequest } from './backend.ts'

/**
 * Cuts an output of the whole batch into one tensor for each request, along the batch dimension. Numeric tensors are
 * views. One request: the very tensor.
 * @throws TritonError INTERNAL when the leading dimension is not the sum of the requests' batch sizes.
 */
export function scatterOutput(requests: readonly ExecutionRequest[], output: Tensor): Tensor[] {
  if (requests.length === 1) return [output]
  const [batch = 0, ...itemShape] = output.shape
  const expected = requests.reduce((sum, request) => sum + request.batchSize, 0)
  if (batch !== expected) {
    throw new TritonError('INTERNAL', `output has batch dimension ${batch}, but the batch has ${expected} items`)
  }
  return cutOutput(
    output,
    requests.map(({ batchSize }) => [batchSize, ...itemShape]),
  ) as Tensor[]
}

/**
 * Cuts an output into tensors of these shapes, which lie in it one after the other. Numeric tensors are views.
 * @returns undefined in the places where the output has no elements left; what is beyond the last shape is left out.
 */
export function cutOutput(output: Tensor, shapes: readonly (readonly number[])[]): (Tensor | undefined)[] {
  const total = output.elementCount
  let end = 0
  return shapes.map((shape) => {
    const start = end
    end += elementCount(shape)
    if (end > total) return undefined
    return end - start === total ? output.reshape(shape) : Tensor.of(output.datatype, shape, slice(output, start, end))
  })
}

function slice({ datatype, data }: Tensor, start: number, end: number): TensorData {
  if (dataTypeSizes[datatype] === 0) return (data as readonly string[]).slice(start, end)
  return (data as NumericArray).subarray(start, end)
}
