import type { ComputeDurations } from '../backend/execution-marks.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import { type ExplainedStep, Explanation } from '../response/explanation.ts'
import type { Clock } from '../util/clock.ts'

/** What the statistics and explanations of one ensemble request tell: its compute times are the sums over its steps. */
export class RunRecord {
  readonly #request: InferenceRequest
  readonly #stats: InferenceStats
  readonly #clock: Clock
  readonly #start: number
  readonly #compute = { computeInput: 0, computeInfer: 0, computeOutput: 0 }
  #isCounted = false
  #steps: ExplainedStep[] = []

  constructor(request: InferenceRequest, stats: InferenceStats, clock: Clock) {
    this.#request = request
    this.#stats = stats
    this.#clock = clock
    this.#start = clock.now()
  }

  /** A step's request has succeeded. A backend that measures itself may tell what it took after everything is over. */
  add(compute: ComputeDurations): void {
    if (this.#isCounted) {
      this.#stats.addCompute(compute, this.#batchSize)
      this.#request.computed(compute)
      return
    }
    this.#compute.computeInput += compute.computeInput
    this.#compute.computeInfer += compute.computeInfer
    this.#compute.computeOutput += compute.computeOutput
  }

  /** The ensemble request has succeeded. */
  count(): void {
    this.#isCounted = true
    const { startTime, batchSize } = this.#request
    this.#stats.recordSuccess(this.#clock.now() - startTime, this.#start - startTime, this.#compute, batchSize)
    this.#stats.recordExecution(this.#compute, this.#batchSize, this.#clock.wallTime())
    this.#request.computed(this.#compute)
  }

  explained(step: ExplainedStep): void {
    this.#steps.push(step)
  }

  /** With the steps that were explained since the last time. */
  explain(): Explanation {
    const steps = this.#steps
    this.#steps = []
    return new Explanation({ queue: this.#start - this.#request.startTime, ...this.#compute, steps })
  }

  get #batchSize(): number {
    return Math.max(1, this.#request.batchSize)
  }
}
