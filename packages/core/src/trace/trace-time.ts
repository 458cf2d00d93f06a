import type { Clock } from '../util/clock.ts'

/** A time of the clock as nanoseconds of the system's monotonic clock, as Triton's traces and its backends have them. */
export const steadyNanoseconds = (clock: Clock, time: number): bigint =>
  (clock.origin ?? 0n) + BigInt(Math.round(time * 1e6))

/** The time as nanoseconds since 1970. */
export const wallNanoseconds = (clock: Clock): bigint => BigInt(Math.round(clock.wallTime() * 1000)) * 1000n
