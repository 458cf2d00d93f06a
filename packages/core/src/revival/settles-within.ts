import type { Clock } from '../util/clock.ts'

/** Whether a promise is settled, in whatever way, before `milliseconds` are over. */
export function settlesWithin(promise: Promise<unknown>, milliseconds: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.schedule(() => resolve(false), milliseconds)
    const settled = (): void => {
      timer.cancel()
      resolve(true)
    }
    promise.then(settled, settled)
  })
}
