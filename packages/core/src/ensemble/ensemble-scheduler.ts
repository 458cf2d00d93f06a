import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { RingBuffer } from '../util/ring-buffer.ts'
import { EnsembleErrors } from './ensemble-errors.ts'
import type { EnsemblePlan } from './ensemble-plan.ts'
import { EnsembleRun } from './ensemble-run.ts'
import { Routes } from './routes.ts'
import { StepLimiter } from './step-limiter.ts'
import type { StepModels } from './step-models.ts'
import type { StepRun } from './step-run.ts'
import type { StepLine } from './steps-in-flight.ts'

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
export class EnsembleScheduler implements Scheduler, StepLine {
  readonly plan: EnsemblePlan
  readonly models: StepModels
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly isDecoupled: boolean
  readonly errors: EnsembleErrors
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
    this.errors = new EnsembleErrors(plan.config.name, logger)
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
        else run.ensemble.holdBack(run)
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

  /** A step is not to be sent any more; false when it does not wait because of `max_inflight_requests`. */
  giveUp(run: StepRun): boolean {
    return this.#limiters[run.step.index]?.remove(run) ?? false
  }

  #endWaits(runs: readonly StepRun[]): void {
    for (const run of runs) {
      this.errors.logLongWait(run)
      this.ready(run)
    }
    this.sendReady()
  }
}
