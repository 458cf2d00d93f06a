import { createMessage, deepFreeze } from './message-value.ts'
import type { ModelConfig, OptimizationPolicy, SequenceBatching } from './model-config.ts'
import { optimizationPolicy } from './schema/deployment.ts'

const defaultSequenceIdleMicroseconds = 1_000_000

/** Fills in the defaults that depend on other fields, those that `/config` shows. Doing it twice changes nothing. */
export function normalizeModelConfig(config: ModelConfig): ModelConfig {
  const { versionPolicy, maxBatchSize, dynamicBatching, sequenceBatching, ensembleScheduling, optimization } = config
  return deepFreeze({
    ...config,
    versionPolicy: versionPolicy ?? { latest: { numVersions: 1 } },
    ...(dynamicBatching && { dynamicBatching: withPreferredBatchSize(dynamicBatching, maxBatchSize) }),
    ...(sequenceBatching && { sequenceBatching: normalizeSequenceBatching(sequenceBatching, maxBatchSize) }),
    ...(!ensembleScheduling && { optimization: normalizeOptimization(optimization) }),
  })
}

function normalizeSequenceBatching(batching: SequenceBatching, maxBatchSize: number): SequenceBatching {
  const { maxSequenceIdleMicroseconds, oldest } = batching
  return {
    ...batching,
    maxSequenceIdleMicroseconds: maxSequenceIdleMicroseconds || defaultSequenceIdleMicroseconds,
    ...(oldest && { oldest: withPreferredBatchSize(oldest, maxBatchSize) }),
  }
}

function normalizeOptimization(policy: OptimizationPolicy | undefined): OptimizationPolicy {
  const pinned = { inputPinnedMemory: { enable: true }, outputPinnedMemory: { enable: true } }
  return { ...(createMessage(optimizationPolicy) as unknown as OptimizationPolicy), ...pinned, ...policy }
}

const withPreferredBatchSize = <T extends { readonly preferredBatchSize: readonly number[] }>(
  batching: T,
  maxBatchSize: number,
): T =>
  batching.preferredBatchSize.length > 0 || maxBatchSize <= 0
    ? batching
    : { ...batching, preferredBatchSize: [maxBatchSize] }
