import type { ExecutionRequest } from '../backend/backend.ts'
import type { ComputeDurations } from '../backend/execution-marks.ts'
import type { RequestMessage } from '../diagnostics/messages.ts'
import type { TritonError } from '../errors.ts'
import type { FailureReason } from '../metrics/inference-stats.ts'
import type { ExplainedSplit } from '../response/explanation.ts'
import type { InferenceTrace } from '../trace/inference-trace.ts'
import type { ExecutionBatch } from './execution-batch.ts'

/** A request as an instance runs it: a caller's, or one that only fills a place in the batch. */
export interface BatchMember extends ExecutionRequest {
  readonly trace?: InferenceTrace | undefined
  /** What monitoring tools know it by, when any listens. */
  readonly message?: RequestMessage | undefined
  /** When the engine took it, on the clock. */
  readonly startTime: number
  /** Why it runs in this version, where a traffic split chose it and it is to be explained. */
  readonly split?: ExplainedSplit | undefined
  /** The backend will answer it after `execute` returned. */
  readonly isKept: boolean
  /** It only fills a place in the batch; nobody waits for it. */
  readonly isFiller: boolean
  /** Whether the statistics have it already, or are not to have it. */
  isCounted: boolean
  /** An instance takes it. */
  begin(batch: ExecutionBatch): void
  /** Whether it still has to be answered, or given back, by the backend that runs this batch. */
  isRunningIn(batch: ExecutionBatch): boolean
  /** Hears what each of its runs took that succeeded. */
  computed(compute: ComputeDurations): void
  /** Ends it with an error at whatever stage it is. */
  reject(error: TritonError, reason: FailureReason): void
}
