import type { ExecutionRequest } from '../backend/backend.ts'
import type { ModelConfig } from '../config/model-config.ts'

/** Whether a request may join a batch, which is never empty. */
export type IncludeRequest = (batch: readonly ExecutionRequest[], request: ExecutionRequest) => boolean

/** What `dynamic_batching` and `max_batch_size` say about batches. */
export interface BatchRules {
  /** At least 1. */
  readonly maxBatchSize: number
  readonly preferredSizes: ReadonlySet<number>
  readonly smallestPreferred: number
  readonly largestPreferred: number
  /** How long a request may wait for a preferred size, in milliseconds. */
  readonly maxQueueDelay: number
  /** The backend's own say. */
  readonly include: IncludeRequest | undefined
}

export function batchRules(config: ModelConfig, include?: IncludeRequest): BatchRules {
  const { preferredBatchSize = [], maxQueueDelayMicroseconds = 0 } = config.dynamicBatching ?? {}
  const maxBatchSize = Math.max(1, config.maxBatchSize)
  const preferredSizes = new Set(preferredBatchSize.length > 0 ? preferredBatchSize : [maxBatchSize])
  return {
    maxBatchSize,
    preferredSizes,
    smallestPreferred: Math.min(...preferredSizes),
    largestPreferred: Math.max(...preferredSizes),
    maxQueueDelay: maxQueueDelayMicroseconds / 1000,
    include,
  }
}
