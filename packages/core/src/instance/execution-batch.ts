import type { ExecutionMarks } from '../backend/backend.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import { Explanation } from '../response/explanation.ts'
import type { Clock } from '../util/clock.ts'
import type { BatchMember } from './batch-member.ts'
import type { SendRule } from './send-rule.ts'

/** The requests that an instance runs together, and when their computing began and ended. */
export class ExecutionBatch implements ExecutionMarks {
  readonly requests: readonly BatchMember[]
  /** Name of the instance. */
  readonly instance: string
  readonly rule: SendRule
  readonly executionStart: number
  readonly #clock: Clock
  readonly #stats: InferenceStats
  #computeStart: number | undefined
  #computeEnd: number | undefined
  #recorded = false

  constructor(requests: readonly BatchMember[], rule: SendRule, instance: string, stats: InferenceStats, clock: Clock) {
    this.requests = requests
    this.rule = rule
    this.instance = instance
    this.#stats = stats
    this.#clock = clock
    this.executionStart = clock.now()
    for (const request of requests) request.begin(this)
  }

  computeStart(): void {
    this.#computeStart = this.#clock.now()
  }

  computeEnd(): void {
    this.#computeEnd = this.#clock.now()
  }

  /** With the first request that succeeds the batch is counted too. */
  recordSuccess(request: BatchMember): void {
    const end = this.#clock.now()
    const computeStart = this.#computeStart ?? this.executionStart
    const times = {
      start: request.startTime,
      executionStart: this.executionStart,
      computeStart,
      computeEnd: this.#computeEnd ?? end,
      end,
    }
    this.#stats.recordSuccess(times, request.batchSize)
    if (this.#recorded) return
    this.#recorded = true
    this.#stats.recordExecution(times, this.batchSize, this.#clock.wallTime())
  }

  /** Why and with whom one of its requests runs, as far as it has come. */
  explain(request: BatchMember): Explanation {
    const now = this.#clock.now()
    const computeStart = this.#computeStart ?? this.executionStart
    const computeEnd = this.#computeEnd ?? now
    const { requests, batchSize: items, instance, rule } = this
    const others = requests.filter((other) => other !== request && !other.isFiller).map(({ id }) => id)
    const batch = { requests: 1 + others.length, items, position: requests.indexOf(request), others }
    return new Explanation({
      queue: this.executionStart - request.startTime,
      computeInput: computeStart - this.executionStart,
      computeInfer: computeEnd - computeStart,
      computeOutput: now - computeEnd,
      execution: { batch, instance, rule },
    })
  }

  /** Items of all requests; a request without batch dimension is one. */
  get batchSize(): number {
    let size = 0
    for (const request of this.requests) size += Math.max(1, request.batchSize)
    return size
  }
}
