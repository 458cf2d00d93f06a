import type { ModelConfig, Tensor } from '@triton-ts/core'
import type { ExecutionRequest } from '@triton-ts/core/backend'
import type { Feed } from './onnx-executor.ts'

/**
 * The inputs of a batch, each request's bytes in a row. All requests of a batch have the same inputs, so the first one
 * tells which there are: optional ones may be absent, and a scheduler may have added some that `config` does not list.
 */
export function batchFeeds(config: ModelConfig, requests: readonly ExecutionRequest[]): Feed[] {
  const feeds: Feed[] = []
  const [first] = requests as readonly [ExecutionRequest]
  for (const [name, { datatype }] of first.inputs) {
    const tensors = requests.map((request) => request.inputs.get(name) as Tensor)
    feeds.push({ name, datatype, shape: batchShape(config, name, tensors), parts: tensors.map(({ bytes }) => bytes) })
  }
  return feeds
}

function batchShape(config: ModelConfig, name: string, tensors: readonly Tensor[]): readonly number[] {
  if (config.input.some((input) => input.name === name && input.allowRaggedBatch)) {
    return [tensors.reduce((sum, { elementCount }) => sum + elementCount, 0)]
  }
  const [{ shape }] = tensors as readonly [Tensor]
  if (tensors.length === 1) return shape
  return [tensors.reduce((sum, { shape }) => sum + (shape[0] as number), 0), ...shape.slice(1)]
}
