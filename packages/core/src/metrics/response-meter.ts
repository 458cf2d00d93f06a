import type { Clock } from '../util/clock.ts'
import type { ResponseStats } from './response-stats.ts'

/** Counts the responses of one request of a decoupled model. Each takes from the end of the one before to its own. */
export class ResponseMeter {
  readonly #stats: ResponseStats
  readonly #clock: Clock
  #index = 0
  #since = 0

  constructor(stats: ResponseStats, clock: Clock) {
    this.#stats = stats
    this.#clock = clock
  }

  /** The request begins to run, or runs again as the next one of an iterative sequence. */
  begin(): void {
    this.#since = this.#clock.now()
  }

  /** A response has gone out, whose outputs were there at `outputStart`. */
  sent(outputStart: number): void {
    const end = this.#clock.now()
    this.#stats.recordSuccess(this.#index++, outputStart - this.#since, end - outputStart)
    this.#since = end
  }

  /** A response without outputs has gone out, which is an error; others may follow. */
  responseFailed(): void {
    const end = this.#clock.now()
    this.#stats.recordFailure(this.#index++, end - this.#since)
    this.#since = end
  }

  /** The request ends with an error. */
  failed(): void {
    this.#stats.recordFailure(this.#index, this.#clock.now() - this.#since)
  }

  /** The request ends without a further response. That is an empty response only where there was none before. */
  ended(): void {
    if (this.#index === 0) this.#stats.recordEmpty(0, this.#clock.now() - this.#since)
  }

  /** The caller gives up; what the backend still does is cleaning up. */
  cancel(): void {
    this.#since = this.#clock.now()
  }

  /** The backend is done with a cancelled request. */
  cancelled(): void {
    this.#stats.recordCancel(this.#index, this.#clock.now() - this.#since)
  }
}
