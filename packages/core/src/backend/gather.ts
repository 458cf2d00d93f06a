import { TritonError } from '../errors.ts'
import { type DataType, dataTypeSizes, type NumericArray } from '../request/data-type.ts'
import { elementCount } from '../request/shape.ts'
import { Tensor, type TensorData } from '../request/tensor.ts'
import type { ExecutionRequest } from './backend.ts'

/**
 * The input `name` of all requests, joined along the batch dimension. One request: its very tensor, not copied.
 * @returns undefined when the requests leave this optional input out.
 */
export function gatherInput(requests: readonly ExecutionRequest[], name: string): Tensor | undefined {
  const first = requests[0]?.inputs.get(name)
  if (first === undefined || requests.length === 1) return first
  const parts: Uint8Array[] = []
  let batch = 0
  for (const request of requests) {
    const part = request.inputs.get(name)
    if (part === undefined) throw new TritonError('INTERNAL', `input '${name}' is missing in a request of the batch`)
    parts.push(part.bytes)
    batch += part.shape[0] ?? 0
  }
  return Tensor.fromBytes(first.datatype, [batch, ...first.shape.slice(1)], join(parts))
}

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
  const itemSize = elementCount(itemShape)
  let start = 0
  return requests.map(({ batchSize }) => {
    const end = start + batchSize * itemSize
    const part = slice(output, start, end)
    start = end
    return Tensor.of(output.datatype, [batchSize, ...itemShape], part)
  })
}

function slice(tensor: Tensor, start: number, end: number): TensorData {
  if (dataTypeSizes[tensor.datatype as DataType] === 0) return (tensor.data as readonly string[]).slice(start, end)
  return (tensor.data as NumericArray).subarray(start, end)
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.byteLength
  }
  return joined
}
