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
  /** Calls `callback` once after `delay` milliseconds. The timer does not keep the process alive. */
  schedule(callback: () => void, delay: number): Timer
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wallTime: () => Date.now(),
  schedule(callback, delay) {
    const handle = setTimeout(callback, delay)
    handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
}
