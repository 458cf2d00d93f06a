import { TritonError } from '@triton-ts/core'
import type { MetricFamilySnapshot } from '@triton-ts/core/backend'
import type { MetricOperation } from '../wire/messages.ts'
import { Histogram, type MetricSeries, Value } from './metric-series.ts'

interface Family {
  readonly name: string
  readonly help: string
  readonly type: MetricFamilySnapshot['type']
  readonly series: Map<string, number>
}

/**
 * What the code of a model counts. The instances of a model have their families in common, as in Triton, and a process
 * that starts again goes on with the values of the one before.
 */
export class ModelMetrics {
  /** By handle, as `#metrics` is. */
  readonly #families: Family[] = []
  readonly #metrics: MetricSeries[] = []

  /**
   * @returns the handle of a family, the same for the same name.
   * @throws TritonError INVALID_ARG for an unknown kind, or a family of another one.
   */
  family(name: string, help: string, kind: string): number {
    const type = types[kind.toUpperCase()]
    if (type === undefined)
      throw new TritonError('INVALID_ARG', `metric family '${name}' has the unknown kind '${kind}'`)
    const handle = this.#families.findIndex((family) => family.name === name)
    const found = this.#families[handle]
    if (found === undefined) return this.#families.push({ name, help, type, series: new Map() }) - 1
    if (found.type === type) return handle
    throw new TritonError('INVALID_ARG', `metric family '${name}' is a ${found.type} already, not a ${type}`)
  }

  /** @returns the handle of a metric, the same for the same labels. @throws TritonError NOT_FOUND without such a family. */
  metric(handle: number, labels: Readonly<Record<string, string>>, buckets: readonly number[] = []): number {
    const family = this.#families[handle]
    if (family === undefined) throw new TritonError('NOT_FOUND', `there is no metric family ${handle}`)
    const key = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
    const found = family.series.get(key)
    if (found !== undefined) return found
    const series = family.type === 'histogram' ? new Histogram(labels, buckets) : new Value(labels)
    const metric = this.#metrics.push(series) - 1
    family.series.set(key, metric)
    return metric
  }

  /** @throws TritonError NOT_FOUND. */
  value(metric: number): number {
    const series = this.#metrics[metric]
    if (series === undefined) throw new TritonError('NOT_FOUND', `there is no metric ${metric}`)
    return series.value
  }

  operate(operations: readonly MetricOperation[]): void {
    for (const [metric, operation, value] of operations) {
      this.#metrics[metric]?.apply(operation, typeof value === 'number' ? value : Number(value.f))
    }
  }

  snapshot(): MetricFamilySnapshot[] {
    return this.#families.map(({ name, help, type, series }) => ({
      name,
      help,
      type,
      samples: [...series.values()].flatMap((metric) => this.#metrics[metric]?.sample() ?? []),
    }))
  }
}

const types: Readonly<Record<string, MetricFamilySnapshot['type']>> = {
  COUNTER: 'counter',
  GAUGE: 'gauge',
  HISTOGRAM: 'histogram',
}
