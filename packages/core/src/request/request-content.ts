import { TritonError } from '../errors.ts'
import { toCorrelationId } from './correlation-id.ts'
import type { InferRequest, ParameterValue, RequestInput } from './infer-request.ts'
import type { ModelSignature } from './model-signature.ts'
import type { Tensor } from './tensor.ts'
import type { ValidatedRequest } from './validate-request.ts'

export const noParameters: Readonly<Record<string, ParameterValue>> = {}

/** What a model keeps for the sequence of a request. */
export interface StateStore {
  /** The state as inputs of the model. */
  readonly inputs: readonly RequestInput[]
  /** @throws TritonError INVALID_ARG for a name that is no state output. */
  update(output: string, state: Tensor): void
}

/** What a request asks for, as the scheduler and the backend read it, with the part that its sequence adds. */
export class RequestContent {
  readonly id: string
  readonly priority: number
  readonly timeoutMicroseconds: number
  readonly parameters: Readonly<Record<string, ParameterValue>>
  readonly batchSize: number
  readonly requestedOutputs: readonly string[]
  readonly modelName: string
  readonly #inputs: Map<string, Tensor>
  #correlationId: bigint | string
  #sequenceStart: boolean
  #sequenceEnd: boolean
  #state: StateStore | undefined

  constructor(signature: ModelSignature, request: InferRequest, valid: ValidatedRequest) {
    this.id = request.id ?? ''
    this.priority = priorityLevel(signature, request.priority)
    this.timeoutMicroseconds = request.timeoutMicroseconds ?? 0
    this.parameters = request.parameters ?? noParameters
    this.batchSize = valid.batchSize
    this.requestedOutputs = valid.requestedOutputs
    this.modelName = signature.modelName
    this.#inputs = valid.inputs
    this.#correlationId = toCorrelationId(request.correlationId)
    this.#sequenceStart = request.sequenceStart ?? false
    this.#sequenceEnd = request.sequenceEnd ?? false
  }

  get correlationId(): bigint | string {
    return this.#correlationId
  }

  get sequenceStart(): boolean {
    return this.#sequenceStart
  }

  get sequenceEnd(): boolean {
    return this.#sequenceEnd
  }

  /** What the caller sent and, once the request has joined its sequence, control and state inputs. */
  get inputs(): ReadonlyMap<string, Tensor> {
    return this.#inputs
  }

  /** An iterative sequence begins with this request; the engine chose the id. */
  beginSequence(correlationId: bigint): void {
    this.#correlationId = correlationId
    this.#sequenceStart = true
  }

  /** The request is to run again, as the next of its sequence. */
  continueSequence(): void {
    this.#sequenceStart = false
    this.#sequenceEnd = false
  }

  /** Adds the inputs that the engine makes for the coming run. A request that runs again joins again. */
  joinSequence(controls: readonly RequestInput[], state: StateStore | undefined): void {
    for (const { name, tensor } of controls) this.#inputs.set(name, tensor)
    this.#state = state
    if (state === undefined) return
    for (const { name, tensor } of state.inputs) this.#inputs.set(name, tensor)
  }

  updateState(output: string, state: Tensor): void {
    if (this.#state === undefined) {
      throw new TritonError(
        'INVALID_ARG',
        `unable to add state '${output}'. State configuration is missing for model '${this.modelName}'.`,
      )
    }
    this.#state.update(output, state)
  }
}

/** Triton takes a priority that the model does not have as the default. */
function priorityLevel({ priorityLevels, defaultPriority }: ModelSignature, priority = 0): number {
  return Number.isInteger(priority) && priority >= 1 && priority <= priorityLevels ? priority : defaultPriority
}
