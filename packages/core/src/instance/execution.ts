import type { ComputeDurations } from '../backend/execution-marks.ts'
import type { TritonError } from '../errors.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { Explanation } from '../response/explanation.ts'
import type { BatchMember } from './batch-member.ts'

/** What runs a request: a batch on an instance, or the steps of an ensemble. */
export interface Execution {
  readonly requests: readonly BatchMember[]
  /** Where it is counted. */
  readonly stats: InferenceStats
  /** Whether the engine leaves it to the backend to count. */
  readonly isReported: boolean
  /** Whether a backend gets the request. */
  readonly runsBackend: boolean
  /** Whether the engine counts the responses of a decoupled model. */
  readonly countsResponses: boolean
  recordSuccess(request: BatchMember): void
  /** Traces when it computed, for a request that failed. */
  recordFailure?(request: BatchMember): void
  explain(request: BatchMember): Explanation
  /** Hears what a request took that was sent for the one that runs, when it has succeeded. */
  addNested?(compute: ComputeDurations): void
  /** The caller has given up. */
  cancelled?(cause: TritonError): void
}
