import type { ComputeDurations } from '../backend/execution-marks.ts'
import { DoublingHistogram, doublingBounds } from './doubling-histogram.ts'

/** Milliseconds, from 0.1 to 13 seconds. */
export const durationBounds = doublingBounds(0.1, 18)

export const batchSizeBounds = doublingBounds(1, 10)

/** How the requests of a model version are spread. Durations are milliseconds. */
export class RequestHistograms {
  /** From the arrival of a request to its answer. */
  readonly request = new DoublingHistogram(durationBounds)
  readonly queue = new DoublingHistogram(durationBounds)
  /** Inputs, model and outputs together. */
  readonly compute = new DoublingHistogram(durationBounds)
  /** Items of each execution. */
  readonly batchSize = new DoublingHistogram(batchSizeBounds)
  /** From the arrival to the first response; of a decoupled model. */
  readonly firstResponse = new DoublingHistogram(durationBounds)

  success(duration: number, queue: number, { computeInput, computeInfer, computeOutput }: ComputeDurations): void {
    this.request.observe(duration)
    this.queue.observe(queue)
    this.compute.observe(computeInput + computeInfer + computeOutput)
  }

  cacheHit(duration: number, queue: number): void {
    this.request.observe(duration)
    this.queue.observe(queue)
  }
}
