import { type ParameterValue, type Tensor, TritonError } from '@triton-ts/core'
import type { ExecutionRequest, ResponseContent } from '@triton-ts/core/backend'
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

/**
 * A request as the code of this thread has it. What the engine refuses, a state that the model does not have for
 * instance, ends the request: the refusal would come too late for the code.
 */
export class ThreadRequest implements ExecutionRequest {
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
  readonly place: RequestPlace
  readonly #owner: RequestOwner
  #isCancelled: boolean
  #isKept = false
  #hasEnded = false
  #abort: AbortController | undefined
  #untaken = 0
  #room: Promise<void> | undefined
  #makeRoom: (() => void) | undefined

  /** @param data has the inputs. */
  constructor(message: RequestMessage, data: ArrayBuffer, place: RequestPlace, owner: RequestOwner) {
    this.id = message.id
    this.correlationId = message.correlationId
    this.sequenceStart = message.sequenceStart
    this.sequenceEnd = message.sequenceEnd
    this.priority = message.priority
    this.timeoutMicroseconds = message.timeoutMicroseconds
    this.parameters = message.parameters
    this.inputs = new Map(unpackTensors(data, message.inputs))
    this.batchSize = message.batchSize
    this.requestedOutputs = message.requestedOutputs
    this.place = place
    this.#owner = owner
    this.#isCancelled = message.isCancelled
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
    this.#tellRoom()
  }

  /** Whoever reads has room for one more response. */
  taken(): void {
    if (--this.#untaken < maxUntaken) this.#tellRoom()
  }

  respond({ outputs, parameters }: ResponseContent, { final = true }: { readonly final?: boolean } = {}): void {
    this.#expectOpen()
    const packed = packTensors(Object.entries(outputs))
    const sent = parameters === undefined ? undefined : structuredClone(parameters)
    this.#owner.tell({ kind: 'respond', outputs: packed, parameters: sent, final }, [packed.data])
    if (final) this.#end()
    else this.#untaken++
  }

  fail(error: TritonError, { final = true }: { readonly final?: boolean } = {}): void {
    this.#expectOpen()
    this.#owner.tell({ kind: 'fail', error: toErrorMessage(error), final }, [])
    if (final) this.#end()
    else this.#untaken++
  }

  end(): void {
    this.#expectOpen()
    this.#owner.tell({ kind: 'end' }, [])
    this.#end()
  }

  keep(): void {
    this.#isKept = true
    if (!this.#hasEnded) this.#owner.tell({ kind: 'keep' }, [])
  }

  room(): Promise<void> | undefined {
    if (this.#hasEnded || this.#isCancelled || this.#untaken < maxUntaken) return undefined
    this.#room ??= new Promise((resolve) => {
      this.#makeRoom = resolve
    })
    return this.#room
  }

  updateState(output: string, state: Tensor): void {
    this.#expectOpen()
    const packed = packTensors([[output, state]])
    this.#owner.tell({ kind: 'updateState', state: packed }, [packed.data])
  }

  reschedule(): void {
    this.#expectOpen()
    this.#owner.tell({ kind: 'reschedule' }, [])
    this.#end()
  }

  /** `execute` failed, or did not keep the request: the engine answers. */
  takeBack(): void {
    if (!this.#hasEnded) this.#end()
  }

  #end(): void {
    this.#hasEnded = true
    this.#tellRoom()
    this.#owner.ended()
  }

  #tellRoom(): void {
    this.#makeRoom?.()
    this.#makeRoom = undefined
    this.#room = undefined
  }

  #expectOpen(): void {
    if (this.#hasEnded) throw new TritonError('INTERNAL', `request '${this.id}' was answered twice`)
  }
}
