import type { ModelConfig } from '../config/model-config.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import type { LatencySettings } from './latency-metrics.ts'
import type { ResolvedMetricsOptions } from './metrics-options.ts'

const firstResponseFamily = 'nv_inference_first_response_histogram_ms'

/** Triton's, in milliseconds. */
const firstResponseBuckets: readonly number[] = [100, 500, 2000, 5000]

/** What is observed of the requests of a model, as the Server and its `model_metrics` say. */
export function latencySettings(
  { name, modelTransactionPolicy, modelMetrics, responseCache }: ModelConfig,
  {
    metrics,
    clock,
    logger,
  }: { readonly metrics: ResolvedMetricsOptions; readonly clock: Clock; readonly logger: Logger },
): LatencySettings {
  let buckets = firstResponseBuckets
  for (const { metricIdentifier, histogramOptions } of modelMetrics?.metricControl ?? []) {
    const family = metricIdentifier?.family ?? ''
    if (family === firstResponseFamily) buckets = histogramOptions?.buckets ?? []
    else {
      const text = `Metric family '${family}' in 'metric_identifier' is not a customizable metric in Triton core.`
      logger.warn({ model: name }, text)
    }
  }
  const isDecoupled = modelTransactionPolicy?.decoupled ?? false
  return {
    clock,
    isCached: responseCache?.enable ?? false,
    quantiles: metrics.quantiles,
    firstResponseBounds: metrics.histogramLatencies && isDecoupled ? ascending(buckets) : undefined,
  }
}

/** Each once and finite: what is above the greatest bound has a bucket of its own. */
const ascending = (bounds: readonly number[]): number[] =>
  [...new Set(bounds)].filter(Number.isFinite).sort((a, b) => a - b)
