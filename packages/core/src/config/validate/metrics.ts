import type { MetricControl } from '../model-config.ts'
import type { ProblemList } from './problem-list.ts'

export function checkMetrics(list: ProblemList, controls: readonly MetricControl[]): void {
  for (const [index, { metricIdentifier, histogramOptions }] of controls.entries()) {
    const path = `model_metrics.metric_control[${index}]`
    if (!metricIdentifier) list.add(path, "metric control must specify 'metric_identifier'")
    else if (metricIdentifier.family === '') {
      list.add(`${path}.metric_identifier.family`, "metric identifier must specify non-empty 'family'")
    }
    if (!histogramOptions) list.add(path, "metric control must specify 'histogram_options'")
    else if (histogramOptions.buckets.length === 0) {
      list.add(`${path}.histogram_options.buckets`, "histogram options must specify non-empty 'buckets'")
    }
  }
}
