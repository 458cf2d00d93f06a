import { setImmediate } from 'node:timers/promises'
import type { Clock, Timer } from '@triton-ts/core'

/** A clock that stands still until it is told to move. */
export interface VirtualClock extends Clock {
  /**
   * Moves the time by `milliseconds`, calling every timer that falls due, in order, at its own time. All of that is done
   * when it returns. The promise resolves when also what waited for those timers has gone on: `await clock.advance(500)`.
   * @throws RangeError for what is not a number of 0 or more.
   */
  advance(milliseconds: number): Promise<void>
  /** Timers that are set. */
  readonly timers: number
}

/** @param start where `now` and `wallTime` begin, in milliseconds; default 0. */
export function virtualClock(start = 0): VirtualClock {
  let now = start
  let order = 0
  const timers = new Map<Timer, { readonly at: number; readonly order: number; readonly callback: () => void }>()
  return {
    now: () => now,
    wallTime: () => now,
    schedule(callback, delay) {
      const timer: Timer = { cancel: () => timers.delete(timer) }
      timers.set(timer, { at: now + Math.max(0, delay), order: order++, callback })
      return timer
    },
    advance(milliseconds) {
      if (!Number.isFinite(milliseconds) || milliseconds < 0)
        throw new RangeError(`a clock cannot be advanced by ${milliseconds} ms`)
      const end = now + milliseconds
      for (;;) {
        const due = [...timers]
          .filter(([, { at }]) => at <= end)
          .sort(([, a], [, b]) => a.at - b.at || a.order - b.order)
        const [next] = due
        if (next === undefined) break
        const [timer, { at, callback }] = next
        timers.delete(timer)
        now = at
        callback()
      }
      // A timer may have moved the time further.
      now = Math.max(now, end)
      // A turn of the event loop comes after every promise that can be settled.
      return setImmediate()
    },
    get timers() {
      return timers.size
    },
  }
}
