import type { ComputeDurations } from '../backend/execution-marks.ts'
import type { Clock } from '../util/clock.ts'
import { Histogram } from './histogram.ts'
import { LatencySummaries } from './latency-summaries.ts'
import type { SummaryQuantile } from './quantile-stream.ts'
import { RequestHistograms } from './request-histograms.ts'

/** What is observed of the requests of a model version besides its counters. */
export interface LatencySettings {
  readonly clock: Clock
  readonly isDecoupled: boolean
  /** Its responses are cached. */
  readonly isCached: boolean
  /** Triton's summaries are wanted. */
  readonly quantiles?: readonly SummaryQuantile[] | undefined
  /** Triton's histogram of first responses is wanted, with these bounds in milliseconds. */
  readonly firstResponseBounds?: readonly number[] | undefined
}

/** How the durations of a model version are spread, as far as somebody wants to know. All are milliseconds. */
export class LatencyMetrics {
  /** Triton's `nv_inference_first_response_histogram_ms`, in whole milliseconds. */
  readonly firstResponse: Histogram | undefined
  readonly summaries: LatencySummaries | undefined
  /** Whether first responses are of interest. */
  readonly countsFirst: boolean
  /** Of a version that had no request there are none: most of thousands of models are idle. */
  #histograms: RequestHistograms | undefined

  constructor(settings?: LatencySettings) {
    const { firstResponseBounds, quantiles } = settings ?? {}
    this.firstResponse = firstResponseBounds && new Histogram(Float64Array.from(firstResponseBounds))
    this.summaries = settings && quantiles && new LatencySummaries(quantiles, settings.isCached, settings.clock)
    this.countsFirst = this.firstResponse !== undefined || settings?.isDecoupled === true
  }

  get histograms(): RequestHistograms | undefined {
    return this.#histograms
  }

  success(duration: number, queue: number, compute: ComputeDurations): void {
    this.#made().success(duration, queue, compute)
    this.summaries?.success(duration, queue, compute)
  }

  cacheHit(duration: number, queue: number, lookup: number): void {
    this.#made().cacheHit(duration, queue)
    this.summaries?.hit(queue, lookup)
  }

  executed(batchSize: number): void {
    this.#made().batchSize.observe(batchSize)
  }

  first(duration: number, isDecoupled: boolean): void {
    this.firstResponse?.observe(Math.floor(duration))
    if (isDecoupled) this.#made().firstResponse.observe(duration)
  }

  #made(): RequestHistograms {
    this.#histograms ??= new RequestHistograms()
    return this.#histograms
  }
}
