import { TritonError } from '../errors.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import type { InferenceResponse } from '../response/inference-response.ts'
import { EnsembleAnswer } from './ensemble-answer.ts'
import { EnsembleExecution } from './ensemble-execution.ts'
import type { PlannedStep } from './ensemble-plan.ts'
import type { EnsembleScheduler } from './ensemble-scheduler.ts'
import { Flow } from './flow.ts'
import { HeldModels } from './held-models.ts'
import type { Route } from './route.ts'
import { StepRun } from './step-run.ts'
import { StepsInFlight } from './steps-in-flight.ts'
import { wantedOutputs } from './wanted-outputs.ts'

/** One request of an ensemble on its way through the steps. It is over when none of them is in flight any more. */
export class EnsembleRun {
  readonly request: InferenceRequest
  readonly #scheduler: EnsembleScheduler
  readonly #route: Route
  readonly #execution: EnsembleExecution
  readonly #answer: EnsembleAnswer
  readonly #models: HeldModels
  readonly #steps = new StepsInFlight()
  #error: TritonError | undefined
  #isOver = false

  constructor(request: InferenceRequest, route: Route, scheduler: EnsembleScheduler) {
    this.request = request
    this.#route = route
    this.#scheduler = scheduler
    this.#execution = new EnsembleExecution(request, scheduler, (cause) => this.#cancelled(cause))
    this.#answer = new EnsembleAnswer(request, scheduler.isDecoupled, scheduler.errors)
    this.#models = new HeldModels(scheduler.plan)
  }

  /** Nothing more is sent; what was sent is cancelled. */
  get hasFailed(): boolean {
    return this.#error !== undefined
  }

  begin(): void {
    this.request.begin(this.#execution)
    const { plan, models } = this.#scheduler
    const missing = this.#models.hold(this.#route.models, models)
    if (missing !== undefined) this.#fail(missing.error, missing.step)
    else {
      const { inputs, batchSize } = this.request
      const flow = new Flow(this.#route)
      const source = { mark: undefined, batchSize }
      const ready = (step: PlannedStep): void => this.#ready(step, flow, undefined)
      for (const { name, tensor } of plan.inputs) {
        flow.add(tensor, inputs.get(name) ?? null, source, ready)
      }
      this.#checkComplete(flow)
    }
    this.#proceed()
  }

  /** Sends the request of a step, or drops it when the ensemble has failed meanwhile. */
  send(run: StepRun): void {
    this.#steps.sent(run)
    if (this.hasFailed) this.#stepOver(run)
    else this.#sendStep(run)
    this.#endIfIdle()
  }

  /** A step has to wait because of `max_inflight_requests`. */
  holdBack(run: StepRun): void {
    this.#steps.holdBack(run)
  }

  onStepResponse(run: StepRun, response: InferenceResponse, final: boolean): void {
    if (final) this.#stepOver(run)
    if (!this.hasFailed) {
      if (response.error === undefined) this.#try(() => this.#take(run, response), run.step)
      else this.#fail(response.error, run.step)
    }
    this.#proceed()
  }

  onStepEnd(run: StepRun): void {
    this.#stepOver(run)
    this.#proceed()
  }

  onStepError(run: StepRun, error: TritonError): void {
    this.#stepOver(run)
    this.#fail(error, run.step)
    this.#proceed()
  }

  /** For a step: there is none while what came of it waits to be sent, nor while the ensemble's reader is behind. */
  room(run: StepRun): Promise<void> | undefined {
    return this.#steps.room(run, () => this.request.room())
  }

  #cancelled(cause: TritonError): void {
    this.#fail(cause)
    this.#proceed()
  }

  #ready(step: PlannedStep, flow: Flow, from: StepRun | undefined): void {
    const run = new StepRun(this, step, this.#models.at(step.modelIndex), flow, from)
    this.#steps.add(run)
    this.#scheduler.ready(run)
  }

  #sendStep(run: StepRun): void {
    try {
      const request = run.toRequest(this.request, () => this.#scheduler.errors.logContradiction(run))
      run.model.sendNested(request, run, this.request)
    } catch (error) {
      this.#stepOver(run)
      this.#fail(TritonError.from(error), run.step)
    }
  }

  #take(run: StepRun, { outputs, parameters, explanation, modelVersion }: InferenceResponse): void {
    const { step, model } = run
    if (explanation !== undefined) {
      this.#execution.explained({ number: step.index + 1, modelName: step.model.name, modelVersion, explanation })
    }
    // Every response of a decoupled step begins a flow of its own.
    const flow = model.signature.decoupled ? new Flow(this.#route) : run.flow
    const source = run.sourceOf(parameters)
    const ready = (next: PlannedStep): void => this.#ready(next, flow, run)
    for (const { name, tensor } of step.outputs) {
      const value = Object.hasOwn(outputs, name) ? outputs[name] : undefined
      flow.add(tensor, value ?? null, source, ready)
    }
    this.#checkComplete(flow)
  }

  /** Answers when every wanted output is there, or will not come. */
  #checkComplete(flow: Flow): void {
    if (!flow.isComplete) return
    const content = wantedOutputs(this.#route, flow, this.request.batchSize !== 0)
    this.#try(() => this.#answer.respond(content, this.#steps.isEmpty))
  }

  #try(work: () => void, step?: PlannedStep): void {
    try {
      work()
    } catch (error) {
      this.#fail(TritonError.from(error), step)
    }
  }

  #stepOver(run: StepRun): void {
    this.#steps.over()
    this.#scheduler.stepOver(run)
  }

  /** What is in flight is cancelled; the first error stays. */
  #fail(error: TritonError, step?: PlannedStep): void {
    if (this.#error !== undefined || this.#isOver) return
    this.#error = this.#scheduler.errors.failure(this.request, error, step)
    this.#steps.close(this.#scheduler)
    this.request.cancelNested(this.#error)
  }

  #proceed(): void {
    this.#scheduler.sendReady()
    this.#endIfIdle()
  }

  #endIfIdle(): void {
    if (this.#isOver || !this.#steps.isEmpty) return
    this.#isOver = true
    this.#models.letGo()
    this.#steps.close(this.#scheduler)
    this.#answer.end(this.#error)
  }
}
