import type { ComputeDurations } from '../backend/execution-marks.ts'
import type { Clock } from '../util/clock.ts'
import type { SummaryQuantile } from './quantile-stream.ts'
import { Summary } from './summary.ts'

/** Triton's summaries of a model version. Times come in milliseconds and are kept in whole microseconds. */
export class LatencySummaries {
  /** As in Triton, not of a model whose responses are cached. */
  readonly request: Summary | undefined
  readonly queue: Summary
  readonly computeInput: Summary
  readonly computeInfer: Summary
  readonly computeOutput: Summary
  readonly cacheHit: Summary | undefined
  readonly cacheMiss: Summary | undefined

  constructor(quantiles: readonly SummaryQuantile[], isCached: boolean, clock: Clock) {
    const summary = (): Summary => new Summary(quantiles, clock)
    this.request = isCached ? undefined : summary()
    this.queue = summary()
    this.computeInput = summary()
    this.computeInfer = summary()
    this.computeOutput = summary()
    this.cacheHit = isCached ? summary() : undefined
    this.cacheMiss = isCached ? summary() : undefined
  }

  success(duration: number, queue: number, { computeInput, computeInfer, computeOutput }: ComputeDurations): void {
    this.request?.observe(microseconds(duration))
    this.queue.observe(microseconds(queue))
    this.computeInput.observe(microseconds(computeInput))
    this.computeInfer.observe(microseconds(computeInfer))
    this.computeOutput.observe(microseconds(computeOutput))
  }

  hit(queue: number, lookup: number): void {
    this.queue.observe(microseconds(queue))
    this.cacheHit?.observe(microseconds(lookup))
  }

  miss(duration: number): void {
    this.cacheMiss?.observe(microseconds(duration))
  }
}

const microseconds = (milliseconds: number): number => Math.floor(milliseconds * 1000)
