import type { ComputeDurations } from '../backend/execution-marks.ts'
import { TritonError } from '../errors.ts'
import type { Execution } from '../instance/execution.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import type { Explanation } from '../response/explanation.ts'
import type { InferenceResponse } from '../response/inference-response.ts'
import { EnsembleAnswer } from './ensemble-answer.ts'
import type { PlannedStep } from './ensemble-plan.ts'
import type { EnsembleScheduler } from './ensemble-scheduler.ts'
import { Flow } from './flow.ts'
import { HeldModels } from './held-models.ts'
import type { Route } from './route.ts'
import { RunRecord } from './run-record.ts'
import { SendRoom } from './send-room.ts'
import { StepRun } from './step-run.ts'
import { wantedOutputs } from './wanted-outputs.ts'

/** One request of an ensemble. It is over when no step of it is in flight any more. */
export class EnsembleRun implements Execution {
  readonly isReported = false
  /** As in Triton, the responses of a decoupled ensemble are counted in the statistics of its steps alone. */
  readonly countsResponses = false
  readonly request: InferenceRequest
  readonly requests: readonly InferenceRequest[]
  readonly #scheduler: EnsembleScheduler
  readonly #route: Route
  readonly #record: RunRecord
  readonly #answer: EnsembleAnswer
  readonly #models: HeldModels
  readonly #unsent = new SendRoom()
  /** Steps that have their inputs and not their last response. */
  #inflight = 0
  #error: TritonError | undefined
  #isOver = false

  constructor(request: InferenceRequest, route: Route, scheduler: EnsembleScheduler) {
    this.request = request
    this.requests = [request]
    this.#route = route
    this.#scheduler = scheduler
    this.#record = new RunRecord(request, scheduler.stats, scheduler.clock)
    this.#answer = new EnsembleAnswer(request, scheduler.isDecoupled)
    this.#models = new HeldModels(scheduler.plan)
  }

  /** Nothing more is sent; what was sent is cancelled. */
  get hasFailed(): boolean {
    return this.#error !== undefined
  }

  begin(): void {
    this.request.begin(this)
    if (this.#holdModels()) {
      const { inputs, batchSize } = this.request
      const flow = new Flow(this.#route)
      const source = { mark: undefined, batchSize }
      const ready = (step: PlannedStep): void => this.#ready(step, flow)
      for (const { name, tensor } of this.#scheduler.plan.inputs) {
        flow.add(tensor, inputs.get(name) ?? null, source, ready)
      }
      this.#checkComplete(flow)
    }
    this.#proceed()
  }

  /** Sends the request of a step, or drops it when the ensemble has failed meanwhile. */
  send(run: StepRun): void {
    this.#unsent.leave()
    if (this.hasFailed) this.#stepOver(run)
    else this.#sendStep(run)
    this.#finishIfIdle()
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

  /** For a step: there is none while others wait to be sent, nor while the reader of the ensemble's responses is behind. */
  room(): Promise<void> | undefined {
    return this.#unsent.room(() => this.request.room())
  }

  cancelled(cause: TritonError): void {
    this.#fail(cause)
    this.#proceed()
  }

  addNested(compute: ComputeDurations): void {
    this.#record.add(compute)
  }

  recordSuccess(): void {
    this.#record.count()
  }

  explain(): Explanation {
    return this.#record.explain()
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

  #ready(step: PlannedStep, flow: Flow): void {
    this.#inflight++
    this.#unsent.enter()
    this.#scheduler.ready(new StepRun(this, step, this.#models.at(step.modelIndex), flow))
  }

  #sendStep(run: StepRun): void {
    try {
      const request = run.toRequest(this.request, () => this.#scheduler.logContradiction(run))
      run.model.sendNested(request, run, this.request)
    } catch (error) {
      this.#stepOver(run)
      this.#fail(TritonError.from(error), run.step)
    }
  }

  #take(run: StepRun, { outputs, parameters, explanation, modelVersion }: InferenceResponse): void {
    const { step, model } = run
    if (explanation !== undefined) {
      this.#record.explained({ number: step.index + 1, modelName: step.model.name, modelVersion, explanation })
    }
    // Every response of a decoupled step begins a flow of its own.
    const flow = model.signature.decoupled ? new Flow(this.#route) : run.flow
    const source = run.sourceOf(parameters)
    const ready = (next: PlannedStep): void => this.#ready(next, flow)
    for (const { name, tensor } of step.outputs) flow.add(tensor, outputs[name] ?? null, source, ready)
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
    this.#error = this.#scheduler.failure(this.request, error, step)
    if (this.#unsent.waiting > 0) {
      const removed = this.#scheduler.removeWaiting(this)
      this.#unsent.leave(removed)
      this.#inflight -= removed
    }
    this.request.cancelNested(this.#error)
  }

  #proceed(): void {
    this.#scheduler.sendReady()
    this.#finishIfIdle()
  }

  #finishIfIdle(): void {
    if (this.#inflight > 0 || this.#isOver) return
    this.#isOver = true
    this.#models.letGo()
    this.#unsent.close()
    if (this.#answer.isGiven) return
    if (this.#error !== undefined) {
      this.#answer.fail(this.#error)
      return
    }
    try {
      if (!this.#answer.end()) this.#answer.fail(this.#scheduler.deadlock(this.request))
    } catch (error) {
      this.#answer.fail(this.#scheduler.failure(this.request, TritonError.from(error)))
    }
  }
}
