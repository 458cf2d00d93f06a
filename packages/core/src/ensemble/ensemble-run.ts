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
import { SendRoom } from './send-room.ts'
import { StepRun } from './step-run.ts'
import { wantedOutputs } from './wanted-outputs.ts'

/** One request of an ensemble on its way through the steps. It is over when none of them is in flight any more. */
export class EnsembleRun {
  readonly request: InferenceRequest
  readonly #scheduler: EnsembleScheduler
  readonly #route: Route
  readonly #execution: EnsembleExecution
  readonly #answer: EnsembleAnswer
  readonly #models: HeldModels
  readonly #room = new SendRoom()
  /** Steps that have their inputs and not their last response. */
  #inflight = 0
  /** Those of them that have waited because of `max_inflight_requests`, until they are sent. */
  #heldBack: Set<StepRun> | undefined
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
    if (this.#holdModels()) {
      const { inputs, batchSize } = this.request
      const flow = new Flow(this.#route)
      const source = { mark: undefined, batchSize }
      const ready = (step: PlannedStep): void => this.#ready(step, flow, undefined)
      for (const { name, tensor } of this.#scheduler.plan.inputs) {
        flow.add(tensor, inputs.get(name) ?? null, source, ready)
      }
      this.#checkComplete(flow)
    }
    this.#proceed()
  }

  /** Sends the request of a step, or drops it when the ensemble has failed meanwhile. */
  send(run: StepRun): void {
    this.#room.leave(run)
    this.#heldBack?.delete(run)
    if (this.hasFailed) this.#stepOver(run)
    else this.#sendStep(run)
    this.#endIfIdle()
  }

  /** A step has to wait because of `max_inflight_requests`. */
  holdBack(run: StepRun): void {
    this.#heldBack ??= new Set()
    this.#heldBack.add(run)
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
    return this.#room.room(run, () => this.request.room())
  }

  #cancelled(cause: TritonError): void {
    this.#fail(cause)
    this.#proceed()
  }

  /** As in Triton, at the beginning for all steps; but here not for those that no wanted output needs. */
  #holdModels(): boolean {
    const { plan, models } = this.#scheduler
    for (const index of this.#route.models) {
      try {
        this.#models.hold(index, models)
      } catch (error) {
        const step = plan.steps.find(({ modelIndex }) => modelIndex === index)
        this.#fail(TritonError.from(error), step)
        return false
      }
    }
    return true
  }

  #ready(step: PlannedStep, flow: Flow, from: StepRun | undefined): void {
    this.#inflight++
    const run = new StepRun(this, step, this.#models.at(step.modelIndex), flow, from)
    this.#room.enter(run)
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
    this.#try(() => this.#answer.respond(content, this.#inflight === 0))
  }

  #try(work: () => void, step?: PlannedStep): void {
    try {
      work()
    } catch (error) {
      this.#fail(TritonError.from(error), step)
    }
  }

  #stepOver(run: StepRun): void {
    this.#inflight--
    this.#scheduler.stepOver(run)
  }

  /** What is in flight is cancelled; the first error stays. */
  #fail(error: TritonError, step?: PlannedStep): void {
    if (this.#error !== undefined || this.#isOver) return
    this.#error = this.#scheduler.errors.failure(this.request, error, step)
    this.#room.close()
    for (const run of this.#heldBack ?? []) if (this.#scheduler.giveUp(run)) this.#inflight--
    this.request.cancelNested(this.#error)
  }

  #proceed(): void {
    this.#scheduler.sendReady()
    this.#endIfIdle()
  }

  #endIfIdle(): void {
    if (this.#inflight > 0 || this.#isOver) return
    this.#isOver = true
    this.#models.letGo()
    this.#room.close()
    this.#answer.end(this.#error)
  }
}
