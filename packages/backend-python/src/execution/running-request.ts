import { type Logger, type Tensor, TritonError } from '@triton-ts/core'
import type { ExecutionRequest } from '@triton-ts/core/backend'
import { fromErrorMessage } from '../wire/error-message.ts'
import type { AnswerMessage, TraceMessage } from '../wire/messages.ts'
import { fromParameterMessages } from '../wire/parameters.ts'
import { responseWindow } from '../wire/window.ts'

/** What a request needs of the process that runs it. */
export interface RequestOwner {
  readonly logger: Logger
  /** Sends a frame without tensors. */
  send(header: string): void
  /** Nothing more is told of the request. */
  closed(slot: number): void
  /** The Server is gone; nobody waits for what the process runs. */
  abandoned(): void
}

/** A request of the engine that the child has. Where the engine does not take what comes of it, it fails. */
export class RunningRequest {
  readonly slot: number
  readonly request: ExecutionRequest
  readonly #owner: RequestOwner
  readonly #isDecoupled: boolean
  #isOpen = true
  #isRescheduled = false
  #signal: AbortSignal | undefined
  /** Responses that were taken and that the child does not know of. */
  #credit = 0
  #isWaiting = false

  constructor(slot: number, request: ExecutionRequest, isDecoupled: boolean, owner: RequestOwner) {
    this.slot = slot
    this.request = request
    this.#isDecoupled = isDecoupled
    this.#owner = owner
  }

  /** Whether it still has to be answered from here. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The model gives it back when `execute` is over. */
  get isRescheduled(): boolean {
    return this.#isRescheduled
  }

  /** Hears from now on when the caller gives up; most requests are through before that is worth its while. */
  follow(): void {
    if (this.#signal !== undefined || !this.#isOpen) return
    this.#signal = this.request.signal
    if (this.request.isCancelled) this.#cancel()
    else this.#signal.addEventListener('abort', this.#cancel, { once: true })
  }

  /** @param tensors of the answer, when it has any. */
  answer({ error, params }: AnswerMessage, tensors: Record<string, Tensor> | undefined, final: boolean): void {
    if (error !== undefined) this.fail(fromErrorMessage(error), final)
    else if (tensors === undefined) this.#tell(() => this.request.end(), true)
    else {
      const parameters = params && fromParameterMessages(params)
      this.#tell(() => this.request.respond({ outputs: tensors, parameters }, { final }), final)
      if (!final) this.#taken()
    }
  }

  /** @param final false: one response of a decoupled model failed, and others may follow. */
  fail(error: TritonError, final = true): void {
    const isLast = final || !this.#isDecoupled
    this.#tell(() => this.request.fail(error, { final: isLast }), isLast)
    if (!isLast) this.#taken()
  }

  /** The model asks for it to be given back. */
  reschedule(): void {
    this.#isRescheduled = true
  }

  /** Gives it back to the engine. */
  giveBack(): void {
    this.#tell(() => this.request.reschedule(), true)
  }

  /** The model notes that something happened. */
  trace({ activity, ns }: TraceMessage): void {
    this.request.trace?.report(activity, BigInt(typeof ns === 'number' ? ns : ns.u))
  }

  /** It is for another process to answer. */
  takeBack(): void {
    if (this.#isOpen) this.#close()
  }

  /** The child holds nothing of it any more. */
  released(): void {
    if (this.#isRescheduled || !this.#isOpen) return
    this.fail(new TritonError('INTERNAL', 'the model let go of a request without a final response to it'))
  }

  #taken(): void {
    this.#credit++
    if (this.#isWaiting || !this.#isOpen) return
    const room = this.request.room()
    if (room !== undefined) {
      this.#isWaiting = true
      void room.then(this.#giveCredit)
    } else if (this.#credit >= responseWindow / 2) this.#giveCredit()
  }

  readonly #giveCredit = (): void => {
    this.#isWaiting = false
    this.#owner.send(`{"k":"credit","s":${this.slot},"n":${this.#credit}}`)
    this.#credit = 0
  }

  readonly #cancel = (): void => {
    this.#owner.send(`{"k":"cancel","s":${this.slot}}`)
    // A caller who gives up is another matter: others wait for the process.
    const { reason } = this.request.signal
    if (reason instanceof TritonError && reason.code === 'UNAVAILABLE') this.#owner.abandoned()
  }

  #tell(say: () => void, isLast: boolean): void {
    if (!this.#isOpen) return
    if (isLast) this.#close()
    try {
      say()
    } catch (error) {
      if (this.#isOpen) this.#close()
      this.#failAfter(error)
    }
  }

  #close(): void {
    this.#isOpen = false
    this.#signal?.removeEventListener('abort', this.#cancel)
    this.#owner.closed(this.slot)
  }

  #failAfter(error: unknown): void {
    try {
      this.request.fail(TritonError.from(error))
    } catch {
      // The engine had ended it already.
      this.#owner.logger.error({ err: error }, `an answer to request '${this.request.id}' was not taken`)
    }
  }
}
