import { type Clock, systemClock } from '../util/clock.ts'

/** The system's time, with timers that do not keep the process alive. */
export const backgroundClock: Clock = {
  ...systemClock,
  schedule(callback, delay) {
    const timeout = setTimeout(callback, delay)
    timeout.unref()
    return { cancel: () => clearTimeout(timeout) }
  },
}
