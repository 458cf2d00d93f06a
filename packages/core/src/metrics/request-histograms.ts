import { durationBounds, durationPlace } from './doubling-bounds.ts'

const places = durationBounds.length + 1

/**
 * How the durations of a model version's requests are spread over `durationBounds`. All are milliseconds. It is a part of
 * every request, so that it counts and does nothing else: sums are among the counters already.
 */
export class RequestHistograms {
  readonly #counts = new Float64Array(3 * places)
  /** From the arrival of a request to its answer. */
  readonly request: Float64Array = this.#counts.subarray(0, places)
  readonly queue: Float64Array = this.#counts.subarray(places, 2 * places)
  /** Of executions: inputs, model and outputs together. */
  readonly compute: Float64Array = this.#counts.subarray(2 * places)

  success(duration: number, queue: number): void {
    const counts = this.#counts
    const request = durationPlace(duration)
    counts[request] = (counts[request] as number) + 1
    const waited = places + durationPlace(queue)
    counts[waited] = (counts[waited] as number) + 1
  }

  executed(duration: number): void {
    const place = 2 * places + durationPlace(duration)
    this.#counts[place] = (this.#counts[place] as number) + 1
  }
}
