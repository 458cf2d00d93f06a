import type { Clock } from '../util/clock.ts'
import { QuantileStream, type SummaryQuantile } from './quantile-stream.ts'

/** Milliseconds that a value counts for, at most; and over how many parts of that they go. As in Triton. */
const maxAge = 60_000
const parts = 5

/**
 * Quantiles of the last minute, with sum and number of everything since the beginning. As in prometheus-cpp, which
 * Triton uses, every value goes into several streams that begin one after the other, and the oldest is asked.
 */
export class Summary {
  readonly quantiles: readonly SummaryQuantile[]
  readonly #clock: Clock
  readonly #streams: QuantileStream[]
  #oldest = 0
  #turned: number
  sum = 0
  count = 0

  constructor(quantiles: readonly SummaryQuantile[], clock: Clock) {
    this.quantiles = quantiles
    this.#clock = clock
    this.#streams = Array.from({ length: parts }, () => new QuantileStream(quantiles))
    this.#turned = clock.now()
  }

  observe(value: number): void {
    this.#turn()
    this.count++
    this.sum += value
    for (const stream of this.#streams) stream.insert(value)
  }

  /** Of about the last minute; NaN without values. */
  quantile(quantile: number): number {
    this.#turn()
    return (this.#streams[this.#oldest] as QuantileStream).query(quantile)
  }

  #turn(): void {
    const due = Math.floor((this.#clock.now() - this.#turned) / (maxAge / parts))
    this.#turned += due * (maxAge / parts)
    for (let i = 0; i < Math.min(due, parts); i++) {
      this.#streams[this.#oldest]?.clear()
      this.#oldest = (this.#oldest + 1) % parts
    }
  }
}
