import type { ModelConfig } from '@triton-ts/core'
import { collectInputs, type ExecutionRequest } from '@triton-ts/core/backend'
import type { Feed } from './onnx-executor.ts'

/** What the model gets for a batch: each request's bytes in a row, and the tensors that describe the batch. */
export const batchFeeds = (config: ModelConfig, requests: readonly ExecutionRequest[]): Feed[] =>
  collectInputs(config, requests).map(({ name, datatype, shape, parts }) => ({
    name,
    datatype,
    shape,
    parts: parts.map(({ bytes }) => bytes),
  }))
