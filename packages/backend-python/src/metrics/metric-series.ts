import type { HistogramSample, MetricSample } from '@triton-ts/core/backend'
import type { MetricOperation } from '../wire/messages.ts'

/** One metric of a family: the values of one set of labels. */
export interface MetricSeries {
  readonly labels: Readonly<Record<string, string>>
  /** Of a histogram: the sum. */
  readonly value: number
  apply(operation: MetricOperation[1], value: number): void
  sample(): MetricSample
}

/** A counter or a gauge. */
export class Value implements MetricSeries {
  readonly labels: Readonly<Record<string, string>>
  #value = 0

  constructor(labels: Readonly<Record<string, string>>) {
    this.labels = labels
  }

  get value(): number {
    return this.#value
  }

  apply(operation: MetricOperation[1], value: number): void {
    if (operation === 'increment') this.#value += value
    else if (operation === 'set') this.#value = value
  }

  sample(): MetricSample {
    return { labels: this.labels, value: this.#value }
  }
}

export class Histogram implements MetricSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly #bounds: readonly number[]
  /** Observations above the bound before and not above this one. */
  readonly #counts: number[]
  #sum = 0
  #count = 0

  /** @param bounds ascending. */
  constructor(labels: Readonly<Record<string, string>>, bounds: readonly number[]) {
    this.labels = labels
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  get value(): number {
    return this.#sum
  }

  apply(operation: MetricOperation[1], value: number): void {
    if (operation !== 'observe') return
    this.#sum += value
    this.#count++
    const place = this.#bounds.findIndex((bound) => value <= bound)
    if (place >= 0) this.#counts[place] = (this.#counts[place] ?? 0) + 1
  }

  sample(): HistogramSample {
    let count = 0
    const buckets = this.#bounds.map((le, place) => {
      count += this.#counts[place] ?? 0
      return { le, count }
    })
    return { labels: this.labels, buckets, sum: this.#sum, count: this.#count }
  }
}
