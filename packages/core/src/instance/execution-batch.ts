import type { ComputeDurations, ExecutionMarks, ReportedResponse } from '../backend/execution-marks.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import { Explanation } from '../response/explanation.ts'
import type { Clock } from '../util/clock.ts'
import type { BatchMember } from './batch-member.ts'
import type { Execution } from './execution.ts'
import type { SendRule } from './send-rule.ts'

/** The instance that runs a batch, as far as the batch needs it. */
export interface BatchRunner {
  readonly name: string
  /** Its backend measures and reports; otherwise the batch does. */
  readonly reportsStatistics: boolean
  readonly stats: InferenceStats
  readonly clock: Clock
}

/** The requests that an instance runs together, and when their computing began and ended. */
export class ExecutionBatch implements Execution, ExecutionMarks {
  readonly requests: readonly BatchMember[]
  readonly rule: SendRule
  readonly executionStart: number
  readonly #runner: BatchRunner
  readonly #clock: Clock
  #computeStart: number | undefined
  #computeEnd: number | undefined
  #recorded = false
  /** When a request of it was last answered with success, on the clock. */
  #answered: number | undefined
  /** How many responses of each request were reported. */
  #responses: Map<BatchMember, number> | undefined

  constructor(requests: readonly BatchMember[], rule: SendRule, runner: BatchRunner) {
    this.requests = requests
    this.rule = rule
    this.#runner = runner
    this.#clock = runner.clock
    this.executionStart = runner.clock.now()
    for (const request of requests) request.begin(this)
  }

  computeStart(): void {
    this.#computeStart = this.#clock.now()
  }

  computeEnd(): void {
    this.#computeEnd = this.#clock.now()
  }

  get stats(): InferenceStats {
    return this.#runner.stats
  }

  /** Milliseconds from its start to the last answer that succeeded, or until now where there was none. */
  get duration(): number {
    return (this.#answered ?? this.#clock.now()) - this.executionStart
  }

  /** Whether the engine leaves it to the backend to count. */
  get isReported(): boolean {
    return this.#runner.reportsStatistics
  }

  get runsBackend(): boolean {
    return true
  }

  get countsResponses(): boolean {
    return !this.isReported
  }

  reportRequest(request: BatchMember, durations: ComputeDurations, success: boolean): void {
    if (!this.isReported || request.isCounted) return
    request.isCounted = true
    const duration = this.#clock.now() - request.startTime
    const { stats } = this.#runner
    const inputEnd = this.executionStart + durations.computeInput
    const outputStart = inputEnd + durations.computeInfer
    request.trace?.computed(this.executionStart, inputEnd, outputStart, outputStart + durations.computeOutput)
    if (!success) {
      stats.recordFailure('BACKEND', duration)
      return
    }
    stats.recordSuccess(duration, this.executionStart - request.startTime, durations, request.batchSize)
    request.computed(durations)
  }

  reportBatch(batchSize: number, durations: ComputeDurations): void {
    if (this.isReported) this.#runner.stats.recordExecution(durations, batchSize, this.#clock.wallTime())
  }

  reportResponse(request: BatchMember, response: ReportedResponse): void {
    if (!this.isReported || request.isFiller) return
    this.#responses ??= new Map()
    const index = this.#responses.get(request) ?? 0
    this.#responses.set(request, index + 1)
    this.#runner.stats.responses.record(index, response)
  }

  /** With the first request that succeeds the batch is counted too. Does nothing where the backend reports. */
  recordSuccess(request: BatchMember): void {
    if (this.isReported) return
    const end = this.#clock.now()
    const computeStart = this.#computeStart ?? this.executionStart
    const computeEnd = this.#computeEnd ?? end
    const compute = {
      computeInput: computeStart - this.executionStart,
      computeInfer: computeEnd - computeStart,
      computeOutput: end - computeEnd,
    }
    const { stats } = this.#runner
    stats.recordSuccess(end - request.startTime, this.executionStart - request.startTime, compute, request.batchSize)
    request.computed(compute)
    this.#answered = end
    request.trace?.computed(this.executionStart, computeStart, computeEnd, end)
    if (this.#recorded) return
    this.#recorded = true
    stats.recordExecution(compute, this.batchSize, this.#clock.wallTime())
  }

  recordFailure(request: BatchMember): void {
    if (this.isReported) return
    const end = this.#clock.now()
    const computeEnd = this.#computeEnd ?? end
    request.trace?.computed(this.executionStart, this.#computeStart ?? this.executionStart, computeEnd, end)
  }

  /** The backend is through with the batch, and tells nothing more of the requests that it has answered. */
  finish(): void {
    if (this.isReported) for (const request of this.requests) request.trace?.reported()
  }

  /** Why and with whom one of its requests runs, as far as it has come. */
  explain(request: BatchMember): Explanation {
    const now = this.#clock.now()
    const computeStart = this.#computeStart ?? this.executionStart
    const computeEnd = this.#computeEnd ?? now
    const { requests, batchSize: items, rule } = this
    const others = requests.filter((other) => other !== request && !other.isFiller).map(({ id }) => id)
    const batch = { requests: 1 + others.length, items, position: requests.indexOf(request), others }
    return new Explanation({
      queue: this.executionStart - request.startTime,
      computeInput: computeStart - this.executionStart,
      computeInfer: computeEnd - computeStart,
      computeOutput: now - computeEnd,
      execution: { batch, instance: this.#runner.name, rule },
      split: request.split,
    })
  }

  /** Items of all requests; a request without batch dimension is one. */
  get batchSize(): number {
    let size = 0
    for (const request of this.requests) size += Math.max(1, request.batchSize)
    return size
  }
}
