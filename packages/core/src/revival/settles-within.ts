import type { Clock } from '../util/clock.ts'
import { withDeadline } from '../util/deadline.ts'

/** Whether a promise is settled, in whatever way, before `milliseconds` are over. */
export function settlesWithin(promise: Promise<unknown>, milliseconds: number, clock: Clock): Promise<boolean> {
  return withDeadline(
    promise.catch(() => {}),
    milliseconds,
    clock,
  )
}
