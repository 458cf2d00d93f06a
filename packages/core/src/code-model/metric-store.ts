import type { MetricFamilySnapshot, MetricSample } from '../metrics/metric-family.ts'
import type { MetricChange, MetricLabels } from './model-metrics.ts'

interface Series {
  readonly labels: MetricLabels
  value: number
  /** Of a histogram: how many values were not above each bound. */
  readonly buckets: number[]
  count: number
}

/** The metrics of a model version as they stand. */
export class MetricStore {
  readonly #families = new Map<
    string,
    { readonly head: MetricChange['family']; readonly series: Map<string, Series> }
  >()

  apply({ family, labels, kind, value }: MetricChange): void {
    const series = this.#series(family, labels)
    if (kind === 'set') series.value = value
    else series.value += value
    if (kind !== 'observe') return
    series.count++
    family.buckets?.forEach((le, i) => {
      if (value <= le) series.buckets[i] = (series.buckets[i] as number) + 1
    })
  }

  collect(): MetricFamilySnapshot[] {
    return Array.from(this.#families.values(), ({ head: { name, help, type, buckets = [] }, series }) => ({
      name,
      help,
      type,
      samples: Array.from(series.values(), (one) => sample(type, buckets, one)),
    }))
  }

  #series(head: MetricChange['family'], labels: MetricLabels): Series {
    let family = this.#families.get(head.name)
    if (family === undefined) {
      family = { head, series: new Map() }
      this.#families.set(head.name, family)
    }
    const key = JSON.stringify(Object.entries(labels).sort())
    let series = family.series.get(key)
    if (series === undefined) {
      series = { labels, value: 0, buckets: (head.buckets ?? []).map(() => 0), count: 0 }
      family.series.set(key, series)
    }
    return series
  }
}

function sample(type: MetricFamilySnapshot['type'], bounds: readonly number[], series: Series): MetricSample {
  const { labels, value, count } = series
  if (type !== 'histogram') return { labels, value }
  return { labels, sum: value, count, buckets: bounds.map((le, i) => ({ le, count: series.buckets[i] as number })) }
}
