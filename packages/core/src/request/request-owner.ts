import type { RequestReports } from '../diagnostics/request-reports.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { Tracer } from '../trace/tracer.ts'
import type { AbortFollowers } from '../util/abort-followers.ts'
import type { Clock } from '../util/clock.ts'
import type { InferenceRequest } from './inference-request.ts'
import type { RequestPlace } from './request-place.ts'

/** The model version that a request belongs to, as far as the request needs it. */
export interface RequestOwner extends RequestPlace {
  readonly version: number
  readonly stats: InferenceStats
  readonly reports: RequestReports
  readonly clock: Clock
  readonly signals: AbortFollowers
  /** Undefined: nothing is traced. */
  readonly tracer?: Tracer | undefined
  /** Takes a cancelled request out of the queue; false when an instance has it already. */
  withdraw(request: InferenceRequest): boolean
  /** Takes a request of an iterative sequence back, to run it again; what it throws leaves it with the backend. */
  reschedule(request: InferenceRequest): void
  /** The engine and the backend are done with the request. */
  release(request: InferenceRequest): void
}
