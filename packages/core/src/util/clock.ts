// The global of this name is looked up anew at each use, which costs a good part of a reading.
import { performance } from 'node:perf_hooks'

/** A timer that can be taken back. */
export interface Timer {
  cancel(): void
}

/** Every look at the time and every timer of the engine goes through this, so that tests can own the time. */
export interface Clock {
  /** Monotonic time in milliseconds with a fraction. */
  now(): number
  /** Wall-clock time in milliseconds since 1970. */
  wallTime(): number
  /** Nanoseconds of the system's monotonic clock when `now` was 0, for times that others measure. Default 0. */
  readonly origin?: bigint | undefined
  /** Calls `callback` once after `delay` milliseconds. Until then the process stays alive, since a request may wait for it. */
  schedule(callback: () => void, delay: number): Timer
}

/**
 * The system's time. `setTimeout` counts in whole milliseconds and may come early by a part of one, but a queue delay is
 * often 100 microseconds. So what is left below a millisecond is spent turning the event loop, which serves everything
 * else meanwhile.
 */
export const systemClock: Clock = {
  now: () => performance.now(),
  wallTime: () => Date.now(),
  origin: process.hrtime.bigint() - BigInt(Math.round(performance.now() * 1e6)),
  schedule: (callback, delay) => new SystemTimer(callback, performance.now() + delay),
}

class SystemTimer implements Timer {
  readonly #callback: () => void
  readonly #at: number
  #timeout: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined

  constructor(callback: () => void, at: number) {
    this.#callback = callback
    this.#at = at
    this.#sleep()
  }

  cancel(): void {
    clearTimeout(this.#timeout)
    clearImmediate(this.#immediate)
  }

  readonly #sleep = (): void => {
    const rest = this.#at - performance.now()
    if (rest >= 1) this.#timeout = setTimeout(this.#sleep, Math.min(rest, longestTimeout))
    else this.#immediate = setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    if (performance.now() >= this.#at) this.#callback()
    else this.#immediate = setImmediate(this.#turn)
  }
}

/** `setTimeout` takes a longer one for 1. */
const longestTimeout = 2 ** 31 - 1
