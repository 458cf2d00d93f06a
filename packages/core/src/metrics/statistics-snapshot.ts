import type { InferenceStats } from './inference-stats.ts'
import type { MemoryUsage, ModelStatistics, StatisticDuration } from './model-statistics.ts'

const duration = (count: number, milliseconds: number): StatisticDuration => ({
  count,
  ns: Math.round(milliseconds * 1e6),
})

/** What was counted so far, in the form of Triton's statistics. */
export function statisticsSnapshot(
  stats: InferenceStats,
  name: string,
  version: number,
  memoryUsage: readonly MemoryUsage[] = [],
): ModelStatistics {
  const { success, cacheHits, cacheMisses } = stats
  const executed = success - cacheHits
  return {
    name,
    version: String(version),
    lastInference: stats.lastInference,
    inferenceCount: stats.inferenceCount,
    executionCount: stats.executionCount,
    inferenceStats: {
      success: duration(success, stats.successTime),
      fail: duration(stats.failed, stats.failTime),
      queue: duration(success, stats.queueTime),
      computeInput: duration(executed, stats.computeInputTime),
      computeInfer: duration(executed, stats.computeInferTime),
      computeOutput: duration(executed, stats.computeOutputTime),
      cacheHit: duration(cacheHits, stats.cacheHitTime),
      cacheMiss: duration(cacheMisses, stats.cacheMissTime),
    },
    responseStats: stats.responses.snapshot(),
    batchStats: [...stats.batches]
      .sort(([a], [b]) => a - b)
      .map(([batchSize, { count, computeInput, computeInfer, computeOutput }]) => ({
        batchSize,
        computeInput: duration(count, computeInput),
        computeInfer: duration(count, computeInfer),
        computeOutput: duration(count, computeOutput),
      })),
    memoryUsage,
  }
}
