import type { ModelStatistics, ResponseStatistics } from './model-statistics.ts'

/** One model version in the JSON of Triton's statistics extension, an entry of `model_stats`. */
export function modelStatisticsToJson(statistics: ModelStatistics): Record<string, unknown> {
  const { inferenceStats } = statistics
  return {
    name: statistics.name,
    version: statistics.version,
    last_inference: statistics.lastInference,
    inference_count: statistics.inferenceCount,
    execution_count: statistics.executionCount,
    inference_stats: {
      success: inferenceStats.success,
      fail: inferenceStats.fail,
      queue: inferenceStats.queue,
      ...computeJson(inferenceStats),
      cache_hit: inferenceStats.cacheHit,
      cache_miss: inferenceStats.cacheMiss,
    },
    response_stats: Object.fromEntries(
      Object.entries(statistics.responseStats).map(([index, stats]) => [index, responseJson(stats)]),
    ),
    batch_stats: statistics.batchStats.map((batch) => ({ batch_size: batch.batchSize, ...computeJson(batch) })),
    memory_usage: statistics.memoryUsage.map(({ type, id, byteSize }) => ({ type, id, byte_size: byteSize })),
  }
}

const responseJson = (stats: ResponseStatistics): Record<string, unknown> => ({
  compute_infer: stats.computeInfer,
  compute_output: stats.computeOutput,
  success: stats.success,
  fail: stats.fail,
  empty_response: stats.emptyResponse,
  cancel: stats.cancel,
})

function computeJson({
  computeInput,
  computeInfer,
  computeOutput,
}: Pick<ModelStatistics['inferenceStats'], 'computeInput' | 'computeInfer' | 'computeOutput'>) {
  return { compute_input: computeInput, compute_infer: computeInfer, compute_output: computeOutput }
}
