import type { FamilyHead } from './metric-family.ts'
import type { LabelSet, MetricSink, Step } from './metric-sink.ts'
import { openHead } from './open-head.ts'

/** One sample as prom-client has it. */
interface PromClientValue {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** A family as a metric of prom-client tells it. */
export interface PromClientFamily {
  readonly name: string
  readonly help: string
  readonly type: string
  /** Of the workers of a cluster. */
  readonly aggregator: 'sum'
  readonly values: readonly PromClientValue[]
}

/** Collects the families of a Server for a registry of prom-client. */
export class PromClientSink implements MetricSink {
  /** By the names that the Server has for them. */
  readonly families = new Map<string, PromClientFamily>()
  readonly #isOpen: boolean
  #name = ''
  #values: PromClientValue[] = []

  /** @param isOpen whether the registry writes OpenMetrics. */
  constructor(isOpen: boolean) {
    this.#isOpen = isOpen
  }

  family(head: FamilyHead): void {
    this.#values = []
    const shown = this.#isOpen ? openHead(head) : head
    // To the names of counters prom-client adds what OpenMetrics wants.
    this.#name = shown.name
    this.families.set(head.name, { ...shown, help: head.help, aggregator: 'sum', values: this.#values })
  }

  value({ labels }: LabelSet, value: number): void {
    this.#add('', labels, value)
  }

  histogram({ labels }: LabelSet, steps: Iterable<Step>, sum: number, count: number): void {
    for (const [le, below] of steps) this.#add('_bucket', { ...labels, le }, below)
    this.#add('_bucket', { ...labels, le: '+Inf' }, count)
    this.#totals(labels, sum, count)
  }

  summary({ labels }: LabelSet, quantiles: Iterable<Step>, sum: number, count: number): void {
    for (const [quantile, value] of quantiles) this.#add('', { ...labels, quantile }, value)
    this.#totals(labels, sum, count)
  }

  #totals(labels: PromClientValue['labels'], sum: number, count: number): void {
    this.#add('_sum', labels, sum)
    this.#add('_count', labels, count)
  }

  #add(suffix: string, labels: PromClientValue['labels'], value: number): void {
    this.#values.push({ metricName: this.#name + suffix, labels, value })
  }
}
