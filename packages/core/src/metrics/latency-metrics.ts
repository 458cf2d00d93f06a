import type { Clock } from '../util/clock.ts'
import { durationBounds } from './doubling-bounds.ts'
import { Histogram } from './histogram.ts'
import { LatencySummaries } from './latency-summaries.ts'
import type { SummaryQuantile } from './quantile-stream.ts'

/** What is observed of the requests of a model version besides its counters. */
export interface LatencySettings {
  readonly clock: Clock
  /** Its responses are cached. */
  readonly isCached: boolean
  /** Triton's summaries are wanted. */
  readonly quantiles?: readonly SummaryQuantile[] | undefined
  /** Triton's histogram of first responses is wanted, which decoupled models alone have, with these bounds in milliseconds. */
  readonly firstResponseBounds?: readonly number[] | undefined
}

/** How the durations of a model version are spread, where more is wanted than counting. All are milliseconds. */
export class LatencyMetrics {
  /** Triton's `nv_inference_first_response_histogram_ms`, in whole milliseconds; errors are in it, too. */
  readonly firstResponse: Histogram | undefined
  readonly summaries: LatencySummaries | undefined
  #firstOfStream: Histogram | undefined

  constructor(settings?: LatencySettings) {
    const { firstResponseBounds, quantiles } = settings ?? {}
    this.firstResponse = firstResponseBounds && new Histogram(Float64Array.from(firstResponseBounds))
    this.summaries = settings && quantiles && new LatencySummaries(quantiles, settings.isCached, settings.clock)
  }

  /** First responses of a decoupled model; undefined before there was one: most of thousands of models are idle. */
  get firstOfStream(): Histogram | undefined {
    return this.#firstOfStream
  }

  /** Of a decoupled model. */
  first(duration: number, isError: boolean): void {
    this.firstResponse?.observe(Math.floor(duration))
    if (isError) return
    this.#firstOfStream ??= new Histogram(durationBounds)
    this.#firstOfStream.observe(duration)
  }
}
