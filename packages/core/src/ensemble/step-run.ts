import type { TritonError } from '../errors.ts'
import type { InferRequest, RequestInput } from '../request/infer-request.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import { noParameters } from '../request/request-content.ts'
import type { InferenceResponse } from '../response/inference-response.ts'
import type { ResponseListener } from '../response/response-listener.ts'
import type { Linked, LinkedList } from '../util/linked-list.ts'
import { adaptBatch } from './batch-adaptation.ts'
import type { PlannedStep } from './ensemble-plan.ts'
import type { EnsembleRun } from './ensemble-run.ts'
import type { Flow, TensorSource } from './flow.ts'
import { isSameMark, markFrom, type SequenceMark } from './sequence-mark.ts'
import type { StepModel } from './step-models.ts'

/** One request of a step, from when its inputs are there until its last response. */
export class StepRun implements ResponseListener, TensorSource, Linked<StepRun> {
  // Its place among those that wait for the limit of the step.
  list: LinkedList<StepRun> | undefined
  previous: StepRun | undefined
  next: StepRun | undefined
  /** When it began to wait, on the clock. */
  waitingSince = 0
  /** Whether it counts for the limit of the step. */
  isAdmitted = false
  readonly ensemble: EnsembleRun
  readonly step: PlannedStep
  readonly model: StepModel
  readonly flow: Flow
  /** The one whose response was its last input; undefined for the caller's inputs. */
  readonly from: StepRun | undefined
  /** How many came of its responses and were not sent yet. */
  unsent = 0
  #mark: SequenceMark | undefined
  #batchSize = 0

  constructor(ensemble: EnsembleRun, step: PlannedStep, model: StepModel, flow: Flow, from: StepRun | undefined) {
    this.ensemble = ensemble
    this.step = step
    this.model = model
    this.flow = flow
    this.from = from
  }

  /** What its outputs go on with, unless its response says otherwise. */
  get mark(): SequenceMark {
    return this.#mark ?? this.ensemble.request
  }

  /** Known once the request was made. */
  get batchSize(): number {
    return this.#batchSize
  }

  /**
   * Where the outputs of a response come from, which may name another sequence.
   * @throws TritonError INVALID_ARG when it does so with values of the wrong type.
   */
  sourceOf(parameters: InferenceResponse['parameters']): TensorSource {
    const mark = parameters === noParameters ? undefined : markFrom(parameters, this.mark)
    return mark === undefined ? this : { mark, batchSize: this.#batchSize }
  }

  /** Makes the request of what the steps before have left. @param contradicts hears that their sequences differ. */
  toRequest(parent: InferenceRequest, contradicts: () => void): InferRequest {
    const { step, model, flow } = this
    const { inputs: signatures, maxBatchSize } = model.signature
    const inputs: RequestInput[] = []
    for (const { name, tensor: number } of step.inputs) {
      const tensor = flow.tensor(number)
      const source = flow.source(number)
      if (tensor !== null) {
        // A version may lack the input that the latest one has; the request's own check then says so.
        const dims = signatures.get(name)?.dims ?? tensor.shape
        inputs.push({ name, tensor: adaptBatch(tensor, source.batchSize, maxBatchSize > 0, dims) })
      }
      if (source.mark === undefined) continue
      if (this.#mark === undefined) this.#mark = source.mark
      else if (!isSameMark(this.#mark, source.mark)) contradicts()
    }
    for (const number of step.needs) flow.taken(number)
    if (maxBatchSize > 0) this.#batchSize = inputs[0]?.tensor.shape[0] || 1
    const { correlationId, sequenceStart, sequenceEnd } = this.mark
    const { id, priority, timeoutMicroseconds, parameters, isExplained } = parent
    return {
      id,
      inputs,
      outputs: step.outputNames,
      correlationId,
      sequenceStart,
      sequenceEnd,
      priority,
      timeoutMicroseconds,
      parameters,
      explain: isExplained,
    }
  }

  onResponse(response: InferenceResponse, final: boolean): void {
    this.ensemble.onStepResponse(this, response, final)
  }

  onEnd(): void {
    this.ensemble.onStepEnd(this)
  }

  onError(error: TritonError): void {
    this.ensemble.onStepError(this, error)
  }

  room(): Promise<void> | undefined {
    return this.ensemble.room(this)
  }
}
