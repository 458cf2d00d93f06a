import { TritonError } from '../errors.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import { requestPrefix } from '../request/validate-request.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { RingBuffer } from '../util/ring-buffer.ts'
import type { EnsemblePlan, PlannedStep } from './ensemble-plan.ts'
import { EnsembleRun } from './ensemble-run.ts'
import { Routes } from './routes.ts'
import { StepLimiter } from './step-limiter.ts'
import type { StepModels } from './step-models.ts'
import type { StepRun } from './step-run.ts'

/** What an ensemble version runs with. */
export interface EnsembleParts {
  readonly plan: EnsemblePlan
  readonly models: StepModels
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Runs each request of an ensemble with requests to the models of its steps: a step is sent as soon as its inputs are
 * there, all that can run in parallel do. An ensemble has no queue and no instances of its own.
 */
export class EnsembleScheduler implements Scheduler {
  readonly plan: EnsemblePlan
  readonly models: StepModels
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly isDecoupled: boolean
  readonly #name: string
  readonly #logger: Logger
  readonly #routes: Routes
  /** By step; empty without a limit. */
  readonly #limiters: readonly StepLimiter[]
  readonly #ready = new RingBuffer<StepRun>()
  #isSending = false

  constructor({ plan, models, stats, clock, logger }: EnsembleParts) {
    this.plan = plan
    this.models = models
    this.stats = stats
    this.clock = clock
    this.isDecoupled = plan.config.modelTransactionPolicy?.decoupled ?? false
    this.#name = plan.config.name
    this.#logger = logger
    this.#routes = new Routes(plan)
    const { maxInflightRequests: limit } = plan
    const proceed = (runs: readonly StepRun[]): void => this.#endWaits(runs)
    this.#limiters = limit === 0 ? [] : plan.steps.map(() => new StepLimiter(limit, clock, proceed))
  }

  enqueue(request: InferenceRequest): void {
    new EnsembleRun(request, this.#routes.to(request.requestedOutputs), this).begin()
  }

  /** Every request is executing from the start. */
  withdraw(): boolean {
    return false
  }

  rejectWaiting(): void {}

  addInstance(): void {}

  async removeInstance(): Promise<void> {}

  /** Takes a step that has all its inputs; `sendReady` sends it. */
  ready(run: StepRun): void {
    this.#ready.push(run)
  }

  /** A loop, not recursion: a step that runs inline has answered, and made others ready, when it is sent. */
  sendReady(): void {
    if (this.#isSending) return
    this.#isSending = true
    try {
      for (let run = this.#ready.shift(); run !== undefined; run = this.#ready.shift()) {
        if (this.#isAdmitted(run)) run.ensemble.send(run)
      }
    } finally {
      this.#isSending = false
    }
  }

  #isAdmitted(run: StepRun): boolean {
    const limiter = this.#limiters[run.step.index]
    return limiter === undefined || run.isAdmitted || run.ensemble.hasFailed || limiter.admit(run)
  }

  stepOver(run: StepRun): void {
    const next = run.isAdmitted ? this.#limiters[run.step.index]?.next() : undefined
    if (next !== undefined) this.ready(next)
  }

  /** Takes the steps of a request out that wait because of `max_inflight_requests`; returns how many. */
  removeWaiting(ensemble: EnsembleRun): number {
    return this.#limiters.reduce((count, limiter) => count + limiter.remove((run) => run.ensemble === ensemble), 0)
  }

  /**
   * What the caller of the ensemble hears of an error, in Triton's words; its cause names the step, as the log does.
   * @param step where it comes from one.
   */
  failure(request: InferenceRequest, error: TritonError, step?: PlannedStep): TritonError {
    const cause = step === undefined ? error : this.#stepError(error, step)
    const model = this.#name
    if (!request.isCancelled) this.#logger.warn({ model, id: request.id, code: error.code }, cause.message)
    return new TritonError(error.code, `in ensemble '${model}', ${error.message}`, { cause })
  }

  /** What the caller hears when there is nothing left to run and no response was made. */
  deadlock({ id }: InferenceRequest): TritonError {
    return new TritonError(
      'INVALID_ARG',
      `in ensemble '${this.#name}', ${requestPrefix(id)}unexpected deadlock, at least one output is not set while no ` +
        'more ensemble steps can be made',
    )
  }

  /** As in Triton, the sequence of the first input that has one is used. */
  logContradiction({ step, mark, ensemble }: StepRun): void {
    const text = `its inputs belong to different sequences; correlation id '${mark.correlationId}' is used`
    this.#logger.error({ model: this.#name, id: ensemble.request.id }, this.#stepText(step, text))
  }

  #endWaits(runs: readonly StepRun[]): void {
    for (const run of runs) {
      const text = 'waited 300 s for max_inflight_requests and runs in spite of it'
      this.#logger.error({ model: this.#name, id: run.ensemble.request.id }, this.#stepText(run.step, text))
      this.ready(run)
    }
    this.sendReady()
  }

  #stepError(error: TritonError, step: PlannedStep): TritonError {
    return new TritonError(error.code, this.#stepText(step, error.message), { cause: error })
  }

  #stepText({ index, model }: PlannedStep, text: string): string {
    return `ensemble '${this.#name}' step ${index + 1} '${model.name}': ${text}`
  }
}
