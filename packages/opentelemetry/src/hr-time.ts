import type { HrTime } from '@opentelemetry/api'

const billion = 1_000_000_000n

/** Nanoseconds since 1970 as OpenTelemetry has them. */
export const hrTime = (nanoseconds: bigint): HrTime => [Number(nanoseconds / billion), Number(nanoseconds % billion)]
