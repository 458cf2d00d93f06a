import { type Logger, type Tensor, TritonError } from '@triton-ts/core'
import type { ExecutionRequest } from '@triton-ts/core/backend'
import type { BatchEvent } from '../messages/batch-event.ts'
import { fromTensorMessages } from '../messages/tensor-message.ts'

/** A request of the engine that the child has. Where the engine does not take what comes of it, it fails. */
export class RunningRequest {
  readonly request: ExecutionRequest
  readonly #logger: Logger
  readonly #cancel: () => void
  readonly #signal: AbortSignal
  #isOpen = true
  #isKept = false

  /** @param cancel called when the caller gives up. */
  constructor(request: ExecutionRequest, logger: Logger, cancel: () => void) {
    this.request = request
    this.#logger = logger
    this.#cancel = cancel
    this.#signal = request.signal
    this.#signal.addEventListener('abort', cancel, { once: true })
  }

  /** Whether it still has to be answered from here. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  get isKept(): boolean {
    return this.#isKept
  }

  respond({ outputs, parameters, final }: Extract<BatchEvent, { kind: 'respond' }>): void {
    const content = { outputs: Object.fromEntries(fromTensorMessages(outputs)), parameters }
    this.#tell(() => this.request.respond(content, { final }), final)
  }

  fail(error: TritonError, final: boolean): void {
    this.#tell(() => this.request.fail(error, { final }), final)
  }

  end(): void {
    this.#tell(() => this.request.end(), true)
  }

  reschedule(): void {
    this.#tell(() => this.request.reschedule(), true)
  }

  updateState(output: string, state: Tensor): void {
    this.#tell(() => this.request.updateState(output, state), false)
  }

  /** It adds to the trace, also after the answer. */
  noteActivity(activity: string, time: bigint): void {
    this.request.trace?.report(activity, time)
  }

  keep(): void {
    this.#isKept = true
    this.request.keep()
  }

  /** Nothing is told any more. */
  close(): void {
    this.#isOpen = false
    this.#signal.removeEventListener('abort', this.#cancel)
  }

  #tell(say: () => void, isLast: boolean): void {
    if (!this.#isOpen) return
    if (isLast) this.close()
    try {
      say()
    } catch (error) {
      this.close()
      this.#failAfter(error)
    }
  }

  #failAfter(error: unknown): void {
    try {
      this.request.fail(TritonError.from(error))
    } catch {
      // The engine had ended it already.
      this.#logger.error({ err: error }, `an answer to request '${this.request.id}' was not taken`)
    }
  }
}
