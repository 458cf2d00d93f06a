import type { Tensor, TritonError } from '@triton-ts/core'
import { RemoteRequest, type ResponseContent } from '@triton-ts/core/backend'
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

/** A request as the child's backend sees it. */
export class HostedRequest extends RemoteRequest {
  /** In its batch. */
  readonly place: number
  readonly #owner: HostedRequestOwner

  constructor(message: RequestMessage, place: number, owner: HostedRequestOwner) {
    super(message, new Map(fromTensorMessages(message.inputs)))
    this.place = place
    this.#owner = owner
  }

  protected tellResponse({ outputs, parameters }: ResponseContent, final: boolean): void {
    const tensors = toTensorMessages(Object.entries(outputs))
    this.#owner.tell({ kind: 'respond', request: this.place, outputs: tensors, parameters, final })
  }

  protected tellFailure(error: TritonError, final: boolean): void {
    this.#owner.tell({ kind: 'fail', request: this.place, error: toErrorMessage(error), final })
  }

  protected tellState(output: string, state: Tensor): void {
    this.#owner.tell({ kind: 'updateState', request: this.place, state: toTensorMessage(output, state) })
  }

  protected tellActivity(activity: string, time: bigint): void {
    this.#owner.tell({ kind: 'activity', request: this.place, activity, time })
  }

  protected tell(kind: 'end' | 'keep' | 'reschedule'): void {
    this.#owner.tell({ kind, request: this.place })
  }

  protected onEnd(): void {
    this.#owner.ended()
  }
}
