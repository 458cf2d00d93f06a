import { TritonError } from '../errors.ts'
import type { FamilyHead } from './metric-family.ts'
import type { MetricSink } from './metric-sink.ts'
import { type PromClientFamily, PromClientSink } from './prom-client-sink.ts'

/** What is used of a `Registry` of prom-client 15. */
export interface PromClientRegistry {
  /** What it uses of a metric is `PromClientMetric`, of which its types do not tell. */
  registerMetric(metric: Pick<PromClientMetric, 'reset'>): void
  getSingleMetric(name: string): unknown
  removeSingleMetric(name: string): void
  readonly contentType: string
}

/** A metric as a registry of prom-client uses it. */
export interface PromClientMetric {
  readonly name: string
  get(): Promise<PromClientFamily>
  reset(): void
}

/** The metrics of one Server in the registry of an application. */
export class PromClientMetrics {
  readonly #registry: PromClientRegistry
  readonly #write: (sink: MetricSink) => void
  readonly #metrics = new Map<string, PromClientMetric>()
  #families: ReadonlyMap<string, PromClientFamily> | undefined

  /** @throws TritonError ALREADY_EXISTS when the registry has a metric of one of the names; it stays as it was. */
  constructor(registry: PromClientRegistry, heads: readonly FamilyHead[], write: (sink: MetricSink) => void) {
    this.#registry = registry
    this.#write = write
    for (const { name } of heads) {
      if (registry.getSingleMetric(name) === undefined) continue
      const text = `the registry has a metric '${name}' already: each Server needs a registry of its own`
      throw new TritonError('ALREADY_EXISTS', text)
    }
    for (const head of heads) this.#register(head)
    this.#collect()
  }

  /** Takes the metrics out of the registry. */
  dispose(): void {
    for (const [name, metric] of this.#metrics) {
      if (this.#registry.getSingleMetric(name) === metric) this.#registry.removeSingleMetric(name)
    }
    this.#metrics.clear()
  }

  #register({ name, help, type }: FamilyHead): void {
    const none: PromClientFamily = { name, help, type, aggregator: 'sum', values: [] }
    const metric: PromClientMetric = { name, get: async () => this.#collect().get(name) ?? none, reset: () => {} }
    this.#metrics.set(name, metric)
    this.#registry.registerMetric(metric)
  }

  /** Once for all families of a page, which a registry asks for one right after the other. */
  #collect(): ReadonlyMap<string, PromClientFamily> {
    if (this.#families !== undefined) return this.#families
    const sink = new PromClientSink(this.#registry.contentType.includes('openmetrics'))
    this.#write(sink)
    this.#families = sink.families
    queueMicrotask(() => {
      this.#families = undefined
    })
    this.#follow(sink.families)
    return sink.families
  }

  /** Families of backends come and go with their models; a registry has a new one from the next page on. */
  #follow(families: ReadonlyMap<string, PromClientFamily>): void {
    for (const [name, family] of families) {
      if (!this.#metrics.has(name) && this.#registry.getSingleMetric(name) === undefined) {
        this.#register({ name, help: family.help, type: 'gauge' })
      }
    }
  }
}
