import type { ComputeDurations } from '../backend/execution-marks.ts'
import type { TritonError } from '../errors.ts'
import type { Explanation } from '../response/explanation.ts'
import type { BatchMember } from './batch-member.ts'

/** What runs a request: a batch on an instance, or the steps of an ensemble. */
export interface Execution {
  readonly requests: readonly BatchMember[]
  /** Whether the engine leaves it to the backend to count. */
  readonly isReported: boolean
  /** Whether the engine counts the responses of a decoupled model. */
  readonly countsResponses: boolean
  recordSuccess(request: BatchMember): void
  explain(request: BatchMember): Explanation
  /** Hears what a request took that was sent for the one that runs, when it has succeeded. */
  addNested?(compute: ComputeDurations): void
  /** The caller has given up. */
  cancelled?(cause: TritonError): void
}
