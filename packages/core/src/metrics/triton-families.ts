import type { InferenceStats } from './inference-stats.ts'
import type { LatencySummaries } from './latency-summaries.ts'
import type { FamilyHead } from './metric-family.ts'
import { histogramFamily, type ModelFamily, valueFamily } from './model-family.ts'
import type { Summary } from './summary.ts'

type Counter = (stats: InferenceStats) => number

const microseconds = (milliseconds: number): number => Math.round(milliseconds * 1000)

const counts: readonly (readonly [name: string, help: string, Counter])[] = [
  [
    'nv_inference_request_success',
    'Number of successful inference requests, all batch sizes',
    ({ success }) => success,
  ],
  [
    'nv_inference_count',
    'Number of inferences performed (does not include cached requests)',
    ({ inferenceCount }) => inferenceCount,
  ],
  [
    'nv_inference_exec_count',
    'Number of model executions performed (does not include cached requests)',
    ({ executionCount }) => executionCount,
  ],
]

const durations: readonly (readonly [name: string, help: string, Counter])[] = [
  [
    'nv_inference_request_duration_us',
    'Cumulative inference request duration in microseconds (includes cached requests)',
    ({ successTime }) => successTime,
  ],
  [
    'nv_inference_queue_duration_us',
    'Cumulative inference queuing duration in microseconds (includes cached requests)',
    ({ queueTime }) => queueTime,
  ],
  [
    'nv_inference_compute_input_duration_us',
    'Cumulative compute input duration in microseconds (does not include cached requests)',
    ({ computeInputTime }) => computeInputTime,
  ],
  [
    'nv_inference_compute_infer_duration_us',
    'Cumulative compute inference duration in microseconds (does not include cached requests)',
    ({ computeInferTime }) => computeInferTime,
  ],
  [
    'nv_inference_compute_output_duration_us',
    'Cumulative inference compute output duration in microseconds (does not include cached requests)',
    ({ computeOutputTime }) => computeOutputTime,
  ],
]

const cacheCounters: readonly (readonly [name: string, help: string, Counter])[] = [
  ['nv_cache_num_hits_per_model', 'Number of cache hits per model', ({ cacheHits }) => cacheHits],
  [
    'nv_cache_hit_duration_per_model',
    'Total cache hit duration per model, in microseconds',
    ({ cacheHitTime }) => microseconds(cacheHitTime),
  ],
  ['nv_cache_num_misses_per_model', 'Number of cache misses per model', ({ cacheMisses }) => cacheMisses],
  [
    'nv_cache_miss_duration_per_model',
    'Total cache miss (insert+lookup) duration per model, in microseconds',
    ({ cacheMissTime }) => microseconds(cacheMissTime),
  ],
]

const summaries: readonly (readonly [name: string, help: string, (of: LatencySummaries) => Summary | undefined])[] = [
  [
    'nv_inference_request_summary_us',
    'Summary of inference request duration in microseconds (includes cached requests)',
    ({ request }) => request,
  ],
  [
    'nv_inference_queue_summary_us',
    'Summary of inference queuing duration in microseconds (includes cached requests)',
    ({ queue }) => queue,
  ],
  [
    'nv_inference_compute_input_summary_us',
    'Cumulative compute input duration in microseconds (does not include cached requests)',
    ({ computeInput }) => computeInput,
  ],
  [
    'nv_inference_compute_infer_summary_us',
    'Cumulative compute inference duration in microseconds (does not include cached requests)',
    ({ computeInfer }) => computeInfer,
  ],
  [
    'nv_inference_compute_output_summary_us',
    'Cumulative inference compute output duration in microseconds (does not include cached requests)',
    ({ computeOutput }) => computeOutput,
  ],
  [
    'nv_cache_hit_summary_per_model',
    'Summary of cache hit counts/durations per model, in microseconds.',
    ({ cacheHit }) => cacheHit,
  ],
  [
    'nv_cache_miss_summary_per_model',
    'Summary of cache miss counts/durations per model, in microseconds.',
    ({ cacheMiss }) => cacheMiss,
  ],
]

/**
 * Triton's families of model versions. Names and help texts are Triton's: dashboards and alerts rely on them.
 * @param isCounting Triton's `counter_latencies`; without it nothing is counted, and of the counters those of requests
 * and executions are there with 0.
 */
export function tritonFamilies(isCounting: boolean): ModelFamily[] {
  const counter = (name: string, help: string, pick: Counter): ModelFamily =>
    valueFamily({ name, help, type: 'counter' }, (row) => (isCounting ? row.count(pick) : 0))
  const [success, ...others] = counts.map((family) => counter(...family)) as [ModelFamily, ...ModelFamily[]]
  const ofDurations = durations.map(([name, help, pick]) => counter(name, help, (stats) => microseconds(pick(stats))))
  const ofCache = cacheCounters.map(([name, help, pick]) =>
    valueFamily({ name, help, type: 'counter' }, (row) => (row.isCached ? row.count(pick) : undefined)),
  )
  return [
    success,
    failures(isCounting),
    ...others,
    ...(isCounting ? ofDurations : []),
    valueFamily(pending, ({ stats }) => stats.pending),
    valueFamily(loadDuration, ({ model, isOfGpu }) => (isOfGpu ? 0 : model.loadDuration)),
    ...(isCounting ? ofCache : []),
    histogramFamily(
      'nv_inference_first_response_histogram_ms',
      'Duration from request to first response in milliseconds',
      1,
      ({ stats }) => stats.latency.firstResponse,
    ),
    ...summaries.map(([name, help, pick]) => summary(name, help, pick)),
  ]
}

const pending: FamilyHead = {
  name: 'nv_inference_pending_request_count',
  help: 'Instantaneous number of pending requests awaiting execution per-model.',
  type: 'gauge',
}

const loadDuration: FamilyHead = {
  name: 'nv_model_load_duration_secs',
  help: 'Model load time in seconds',
  type: 'gauge',
}

const failures = (isCounting: boolean): ModelFamily => ({
  name: 'nv_inference_request_failure',
  help: 'Number of failed inference requests, all batch sizes',
  type: 'counter',
  write(row, sink) {
    for (const [reason, labels] of row.reasons) {
      sink.value(labels, isCounting ? row.count(({ failures }) => failures[reason]) : 0)
    }
  },
})

const summary = (
  name: string,
  help: string,
  pick: (summaries: LatencySummaries) => Summary | undefined,
): ModelFamily => ({
  name,
  help,
  type: 'summary',
  write({ labels, stats: { latency } }, sink) {
    const one = latency.summaries && pick(latency.summaries)
    if (one === undefined) return
    const quantiles = one.quantiles.map(({ quantile }) => [quantile, one.quantile(quantile)] as const)
    sink.summary(labels, quantiles, one.sum, one.count)
  },
})
