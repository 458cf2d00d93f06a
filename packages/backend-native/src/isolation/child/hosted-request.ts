import { type ParameterValue, type Tensor, TritonError } from '@triton-ts/core'
import type { ExecutionRequest, ResponseContent } from '@triton-ts/core/backend'
import type { BatchEvent } from '../messages/batch-event.ts'
import { toErrorMessage } from '../messages/error-message.ts'
import type { RequestMessage } from '../messages/request-message.ts'
import { fromTensorMessages, toTensorMessage, toTensorMessages } from '../messages/tensor-message.ts'

/** What a request needs of its batch. */
export interface HostedRequestOwner {
  tell(event: BatchEvent): void
  /** The request is answered, or given back. */
  ended(): void
}

/**
 * A request as the child's backend sees it. What the engine refuses, a state that the model does not have for instance,
 * ends the request: the refusal would come too late for the backend.
 */
export class HostedRequest implements ExecutionRequest {
  readonly id: string
  readonly correlationId: bigint | string
  readonly sequenceStart: boolean
  readonly sequenceEnd: boolean
  readonly priority: number
  readonly timeoutMicroseconds: number
  readonly parameters: Readonly<Record<string, ParameterValue>>
  readonly inputs: ReadonlyMap<string, Tensor>
  readonly batchSize: number
  readonly requestedOutputs: readonly string[]
  readonly #owner: HostedRequestOwner
  readonly #place: number
  #isCancelled: boolean
  #isKept = false
  #hasEnded = false
  #abort: AbortController | undefined

  /** @param place in its batch. */
  constructor(message: RequestMessage, place: number, owner: HostedRequestOwner) {
    this.id = message.id
    this.correlationId = message.correlationId
    this.sequenceStart = message.sequenceStart
    this.sequenceEnd = message.sequenceEnd
    this.priority = message.priority
    this.timeoutMicroseconds = message.timeoutMicroseconds
    this.parameters = message.parameters
    this.inputs = new Map(fromTensorMessages(message.inputs))
    this.batchSize = message.batchSize
    this.requestedOutputs = message.requestedOutputs
    this.#isCancelled = message.isCancelled
    this.#place = place
    this.#owner = owner
  }

  get place(): number {
    return this.#place
  }

  get isKept(): boolean {
    return this.#isKept
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.#isCancelled) this.#abort.abort()
    }
    return this.#abort.signal
  }

  cancel(): void {
    this.#isCancelled = true
    this.#abort?.abort()
  }

  respond({ outputs, parameters }: ResponseContent, { final = true }: { readonly final?: boolean } = {}): void {
    this.#expectOpen()
    const tensors = toTensorMessages(Object.entries(outputs))
    this.#owner.tell({ kind: 'respond', request: this.#place, outputs: tensors, parameters, final })
    if (final) this.#end()
  }

  fail(error: TritonError, { final = true }: { readonly final?: boolean } = {}): void {
    this.#expectOpen()
    this.#owner.tell({ kind: 'fail', request: this.#place, error: toErrorMessage(error), final })
    if (final) this.#end()
  }

  end(): void {
    this.#expectOpen()
    this.#owner.tell({ kind: 'end', request: this.#place })
    this.#end()
  }

  keep(): void {
    this.#isKept = true
    if (!this.#hasEnded) this.#owner.tell({ kind: 'keep', request: this.#place })
  }

  /** The process that reads the responses takes all of them. */
  room(): undefined {
    return undefined
  }

  updateState(output: string, state: Tensor): void {
    this.#expectOpen()
    this.#owner.tell({ kind: 'updateState', request: this.#place, state: toTensorMessage(output, state) })
  }

  reschedule(): void {
    this.#expectOpen()
    this.#owner.tell({ kind: 'reschedule', request: this.#place })
    this.#end()
  }

  /** `execute` failed, or did not keep the request: the engine answers. */
  takeBack(): void {
    if (!this.#hasEnded) this.#end()
  }

  #end(): void {
    this.#hasEnded = true
    this.#owner.ended()
  }

  #expectOpen(): void {
    if (this.#hasEnded) throw new TritonError('INTERNAL', `backend answered request '${this.id}' twice`)
  }
}
