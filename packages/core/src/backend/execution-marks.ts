import type { ExecutionRequest } from './backend.ts'

/**
 * Where one batch stands; the statistics `computeInput`, `computeInfer` and `computeOutput` come from these. An instance
 * with `reportsStatistics` measures itself and calls the `report` methods instead, which are without effect for others.
 */
export interface ExecutionMarks {
  /** All inputs are gathered, the model starts. */
  computeStart(): void
  /** The model's outputs are there. */
  computeEnd(): void
  /**
   * Counts how a request of the batch ended: as a success, or as a failure with the reason BACKEND. Before or after its
   * answer, once for each run, and before `reschedule`. A request that was counted already, because its caller gave up or
   * `execute` failed, stays as it was counted. The time in the queue and the whole time are the engine's.
   */
  reportRequest(request: ExecutionRequest, durations: ComputeDurations, success: boolean): void
  /** Counts an execution of the model. */
  reportBatch(batchSize: number, durations: ComputeDurations): void
  /** Counts the next response of a request of a decoupled model. Default: `response_stats` stays empty. */
  reportResponse(request: ExecutionRequest, response: ReportedResponse): void
}

/** Milliseconds that the parts of an execution took. */
export interface ComputeDurations {
  readonly computeInput: number
  readonly computeInfer: number
  readonly computeOutput: number
}

/** A response as its backend measured it, in milliseconds. */
export interface ReportedResponse {
  /** `empty`: the request ended without a further response. `cancel`: the caller gave up. */
  readonly outcome: 'success' | 'fail' | 'empty' | 'cancel'
  /** From its start until its outputs were there, or until its end when it has none. */
  readonly computeInfer: number
  /** From then on until it was sent; undefined when it has no outputs. */
  readonly computeOutput?: number | undefined
}
