import { TritonError } from '../errors.ts'
import type { SummaryQuantile } from './quantile-stream.ts'

/** What a Server measures and shows on its page of metrics. */
export interface MetricsOptions {
  /**
   * Triton's counters. As in Triton, `false` leaves those of requests and executions at 0 and takes away those of
   * durations and of the cache. Default true.
   */
  readonly counterLatencies?: boolean | undefined
  /** Triton's histogram of the time to the first response. Default false. */
  readonly histogramLatencies?: boolean | undefined
  /** Triton's summaries, with quantiles of the last minute. Each costs some microseconds a request. Default false. */
  readonly summaryLatencies?: boolean | undefined
  /** Default 0.5, 0.9, 0.95, 0.99 and 0.999 with Triton's errors. */
  readonly summaryQuantiles?: readonly SummaryQuantile[] | undefined
  /** Families that Triton does not have, `triton_ts_*` of models and of the event loop. Default true. */
  readonly ownFamilies?: boolean | undefined
  /** The processors and the memory of this machine; Linux only. Unlike in tritonserver the default is false. */
  readonly cpu?: boolean | undefined
  /** Bytes that `nv_pinned_memory_pool_total_bytes` tells. Default: the pinned memory has no metrics. */
  readonly pinnedMemoryPool?: number | undefined
  /** Milliseconds between two looks at processors and GPUs, and the least time over which rates are means. Default 2000. */
  readonly interval?: number | undefined
}

/** With every default in place. */
export interface ResolvedMetricsOptions {
  readonly counterLatencies: boolean
  readonly histogramLatencies: boolean
  /** Undefined without summaries. */
  readonly quantiles: readonly SummaryQuantile[] | undefined
  readonly ownFamilies: boolean
  readonly cpu: boolean
  readonly pinnedMemoryPool: number | undefined
  /** Milliseconds. */
  readonly interval: number
}

/** Triton's. */
const defaultQuantiles: readonly SummaryQuantile[] = [
  { quantile: 0.5, error: 0.05 },
  { quantile: 0.9, error: 0.01 },
  { quantile: 0.95, error: 0.001 },
  { quantile: 0.99, error: 0.001 },
  { quantile: 0.999, error: 0.001 },
]

/** @throws TritonError INVALID_ARG for what is out of range. */
export function resolveMetricsOptions(options: MetricsOptions = {}): ResolvedMetricsOptions {
  const { summaryLatencies = false, summaryQuantiles = defaultQuantiles, interval = 2000 } = options
  for (const { quantile, error } of summaryQuantiles) {
    if (isInside(quantile) && isInside(error)) continue
    const text = `metrics.summaryQuantiles must have a quantile and an error between 0 and 1, got ${quantile}:${error}`
    throw new TritonError('INVALID_ARG', text)
  }
  if (!(interval > 0)) {
    throw new TritonError('INVALID_ARG', `metrics.interval must be more than 0 milliseconds, got ${interval}`)
  }
  return {
    counterLatencies: options.counterLatencies ?? true,
    histogramLatencies: options.histogramLatencies ?? false,
    quantiles: summaryLatencies ? summaryQuantiles : undefined,
    ownFamilies: options.ownFamilies ?? true,
    cpu: options.cpu ?? false,
    pinnedMemoryPool: options.pinnedMemoryPool,
    interval,
  }
}

const isInside = (value: number): boolean => value > 0 && value < 1
