import type { Clock, Timer } from '@triton-ts/core'

/** A clock that stands still until it is told to move. */
export interface VirtualClock extends Clock {
  /** Moves the time by `milliseconds`, calling every timer that falls due, in order, at its own time. */
  advance(milliseconds: number): void
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
      now = end
    },
    get timers() {
      return timers.size
    },
  }
}
