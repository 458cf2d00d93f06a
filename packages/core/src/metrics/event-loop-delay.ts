import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '../util/clock.ts'
import type { EventLoopDelaySnapshot } from './server-snapshot.ts'

/** Milliseconds between two looks; what is measured has them in it. */
const resolution = 20

const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolution / 1000)

/** How late the event loop is, measured by Node outside of JavaScript, from `start` to `stop`. */
export class EventLoopDelay {
  readonly #clock: Clock
  readonly #interval: number
  #measured: IntervalHistogram | undefined
  #since: number
  #last: EventLoopDelaySnapshot | undefined
  #sum = 0
  #count = 0

  /** @param interval least milliseconds that the quantiles are of. */
  constructor(clock: Clock, interval: number) {
    this.#clock = clock
    this.#interval = interval
    this.#since = clock.now()
  }

  start(): void {
    this.#measured = monitorEventLoopDelay({ resolution })
    this.#measured.enable()
    this.#since = this.#clock.now()
  }

  stop(): void {
    this.#measured?.disable()
    this.#measured = undefined
  }

  /** Seconds, of the last interval; undefined before there is one. */
  get last(): EventLoopDelaySnapshot | undefined {
    this.#look()
    return this.#last
  }

  /** Seconds of delay since the start. */
  get sum(): number {
    return this.#sum
  }

  /** Looks since the start. */
  get count(): number {
    return this.#count
  }

  #look(): void {
    const measured = this.#measured
    const now = this.#clock.now()
    if (measured === undefined || measured.count === 0 || now - this.#since < this.#interval) return
    const [p50, p90, p99] = [50, 90, 99].map((percentile) => seconds(measured.percentile(percentile)))
    this.#last = { p50: p50 ?? 0, p90: p90 ?? 0, p99: p99 ?? 0, max: seconds(measured.max) }
    this.#sum += seconds(measured.mean) * measured.count
    this.#count += measured.count
    this.#since = now
    measured.reset()
  }
}
