import type { HistogramSample, MetricFamilySnapshot, ValueSample } from '@triton-ts/core/backend'
import type { NativeMetric, NativeMetricFamily } from '../host/binding.ts'

/** A family of a library as the Server prints it. */
export const metricFamily = ({ name, help, kind, metrics }: NativeMetricFamily): MetricFamilySnapshot => ({
  name,
  help,
  type: kind,
  samples: metrics.map((metric) => (kind === 'histogram' ? histogramSample(metric) : valueSample(metric))),
})

const valueSample = ({ labels, value }: NativeMetric): ValueSample => ({ labels, value })

const histogramSample = ({ labels, buckets, sum, count }: NativeMetric): HistogramSample => ({
  labels,
  buckets,
  sum,
  count,
})
