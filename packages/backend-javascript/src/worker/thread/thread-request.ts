import type { Tensor, TritonError } from '@triton-ts/core'
import { RemoteRequest, type ResponseContent } from '@triton-ts/core/backend'
import { toErrorMessage } from '../messages/error-message.ts'
import type { RequestEvent, RequestMessage } from '../messages/messages.ts'
import type { RequestPlace } from '../messages/nested-message.ts'
import { packTensors, unpackTensors } from '../messages/packed-tensors.ts'

/** Responses that may be under way before code is told that there is no room. */
const maxUntaken = 16

/** What a request needs of its batch. */
interface RequestOwner {
  tell(event: RequestEvent, transfer: readonly ArrayBuffer[]): void
  /** The request is answered, or given back. */
  ended(): void
}

/** A request as the code of this thread has it. */
export class ThreadRequest extends RemoteRequest {
  readonly place: RequestPlace
  readonly #owner: RequestOwner
  #untaken = 0
  #room: Promise<void> | undefined
  #makeRoom: (() => void) | undefined

  /** @param data has the inputs. */
  constructor(message: RequestMessage, data: ArrayBuffer, place: RequestPlace, owner: RequestOwner) {
    super(message, new Map(unpackTensors(data, message.inputs)))
    this.place = place
    this.#owner = owner
  }

  override cancel(): void {
    super.cancel()
    this.#tellRoom()
  }

  /** Whoever reads has room for one more response. */
  taken(): void {
    if (--this.#untaken < maxUntaken) this.#tellRoom()
  }

  override room(): Promise<void> | undefined {
    if (this.hasEnded || this.isCancelled || this.#untaken < maxUntaken) return undefined
    this.#room ??= new Promise((resolve) => {
      this.#makeRoom = resolve
    })
    return this.#room
  }

  protected tellResponse({ outputs, parameters }: ResponseContent, final: boolean): void {
    const packed = packTensors(Object.entries(outputs))
    const sent = parameters === undefined ? undefined : structuredClone(parameters)
    this.#owner.tell({ kind: 'respond', outputs: packed, parameters: sent, final }, [packed.data])
    if (!final) this.#untaken++
  }

  protected tellFailure(error: TritonError, final: boolean): void {
    this.#owner.tell({ kind: 'fail', error: toErrorMessage(error), final }, [])
    if (!final) this.#untaken++
  }

  protected tellState(output: string, state: Tensor): void {
    const packed = packTensors([[output, state]])
    this.#owner.tell({ kind: 'updateState', state: packed }, [packed.data])
  }

  protected tellActivity(activity: string, time: bigint): void {
    this.#owner.tell({ kind: 'activity', activity, time }, [])
  }

  protected tell(kind: 'end' | 'keep' | 'reschedule'): void {
    this.#owner.tell({ kind }, [])
  }

  protected onEnd(): void {
    this.#tellRoom()
    this.#owner.ended()
  }

  #tellRoom(): void {
    this.#makeRoom?.()
    this.#makeRoom = undefined
    this.#room = undefined
  }
}
