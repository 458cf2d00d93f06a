import type { MetricFamilySnapshot } from '../metrics/metric-family.ts'
import type { ModelSplit } from './model-split.ts'

/** The splits in metrics; a model without one has none. */
export function splitMetrics(splits: ReadonlyMap<string, ModelSplit>): MetricFamilySnapshot[] {
  const labels = (model: string, version: number) => ({ model, version: String(version) })
  const all = [...splits]
  return [
    {
      name: 'triton_ts_traffic_split_weight',
      help: 'Weight of a model version in the traffic split of its model',
      type: 'gauge',
      samples: all.flatMap(([model, { shares }]) =>
        shares.map(({ version, weight }) => ({ labels: labels(model, version), value: weight })),
      ),
    },
    {
      name: 'triton_ts_traffic_split_requests_total',
      help: 'Number of requests that the traffic split of their model gave to a model version',
      type: 'counter',
      samples: all.flatMap(([model, { requests }]) =>
        [...requests].map(([version, value]) => ({ labels: labels(model, version), value })),
      ),
    },
  ]
}
