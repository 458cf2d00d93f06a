import { elementCount, type ModelConfig, Tensor, TritonError } from '@triton-ts/core'
import type { ExecutionRequest, ModelOutput } from '@triton-ts/core/backend'

/**
 * A model's output for the engine: a scalar of the model takes the dimensions that the configuration gives it, and rows
 * beyond those of the batch are left out, as in Triton.
 * @throws TritonError UNSUPPORTED when a model that batches gives fewer rows than the batch has.
 */
export function responseTensor(
  config: ModelConfig,
  output: ModelOutput,
  tensor: Tensor,
  requests: readonly ExecutionRequest[],
): Tensor {
  const whole = tensor.shape.length === 0 ? tensor.reshape(output.reshape?.shape ?? output.dims) : tensor
  if (config.maxBatchSize === 0) return whole
  const rows = whole.shape[0] ?? 0
  const expected = requests.reduce((sum, { batchSize }) => sum + batchSize, 0)
  if (rows < expected) {
    throw new TritonError(
      'UNSUPPORTED',
      `failed to split the output tensor '${output.name}' in responses: expected batch size of at least ${expected} in model output, got ${rows}`,
    )
  }
  return rows === expected ? whole : firstRows(whole, expected)
}

function firstRows({ datatype, shape, data }: Tensor, count: number): Tensor {
  const kept = [count, ...shape.slice(1)]
  return Tensor.of(datatype, kept, data.slice(0, elementCount(kept)))
}
