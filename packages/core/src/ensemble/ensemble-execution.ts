import type { ComputeDurations } from '../backend/execution-marks.ts'
import type { TritonError } from '../errors.ts'
import type { BatchMember } from '../instance/batch-member.ts'
import type { Execution } from '../instance/execution.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import { type ExplainedStep, Explanation } from '../response/explanation.ts'
import type { Clock } from '../util/clock.ts'

/** What one ensemble request counts and tells: its compute times are the sums over its steps. */
export class EnsembleExecution implements Execution {
  readonly isReported = false
  readonly runsBackend = false
  /** As in Triton, the responses of a decoupled ensemble are counted in the statistics of its steps alone. */
  readonly countsResponses = false
  readonly requests: readonly [InferenceRequest]
  readonly stats: InferenceStats
  readonly #clock: Clock
  readonly #onCancel: (cause: TritonError) => void
  readonly #start: number
  readonly #compute = { computeInput: 0, computeInfer: 0, computeOutput: 0 }
  #isCounted = false
  #steps: ExplainedStep[] = []

  /** @param onCancel hears that the caller has given up. */
  constructor(
    request: InferenceRequest,
    { stats, clock }: { readonly stats: InferenceStats; readonly clock: Clock },
    onCancel: (cause: TritonError) => void,
  ) {
    this.requests = [request]
    this.stats = stats
    this.#clock = clock
    this.#onCancel = onCancel
    this.#start = clock.now()
  }

  cancelled(cause: TritonError): void {
    this.#onCancel(cause)
  }

  /** A backend that measures itself may tell what a step took after everything is over. */
  addNested(compute: ComputeDurations): void {
    if (this.#isCounted) {
      this.stats.addCompute(compute, this.#batchSize)
      this.requests[0].computed(compute)
      return
    }
    this.#compute.computeInput += compute.computeInput
    this.#compute.computeInfer += compute.computeInfer
    this.#compute.computeOutput += compute.computeOutput
  }

  recordSuccess(request: BatchMember): void {
    this.#isCounted = true
    const { startTime, batchSize } = request
    this.stats.recordSuccess(this.#clock.now() - startTime, this.#start - startTime, this.#compute, batchSize)
    this.stats.recordExecution(this.#compute, this.#batchSize, this.#clock.wallTime())
    request.computed(this.#compute)
  }

  explained(step: ExplainedStep): void {
    this.#steps.push(step)
  }

  /** With the steps that were explained since the last time. */
  explain(request: BatchMember): Explanation {
    const steps = this.#steps
    this.#steps = []
    return new Explanation({ queue: this.#start - request.startTime, ...this.#compute, steps, split: request.split })
  }

  get #batchSize(): number {
    return Math.max(1, this.requests[0].batchSize)
  }
}
