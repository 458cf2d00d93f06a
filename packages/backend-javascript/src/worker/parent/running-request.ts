import { type Logger, TritonError } from '@triton-ts/core'
import type { ExecutionRequest } from '@triton-ts/core/backend'
import { fromErrorMessage } from '../messages/error-message.ts'
import type { RequestEvent } from '../messages/messages.ts'
import { unpackTensors } from '../messages/packed-tensors.ts'

/** A request of the engine that a worker has. Where the engine does not take what comes of it, it fails. */
export class RunningRequest {
  readonly request: ExecutionRequest
  readonly #logger: Logger
  readonly #signal: AbortSignal
  readonly #onCancel: () => void
  readonly #onTaken: () => void
  #isOpen = true
  #isKept = false

  /**
   * @param onCancel called when the caller gives up, or when the engine has refused what came: no more is wanted then.
   * @param onTaken called for each response but the last, as soon as whoever reads has room for another one.
   */
  constructor(request: ExecutionRequest, logger: Logger, onCancel: () => void, onTaken: () => void) {
    this.request = request
    this.#logger = logger
    this.#onCancel = onCancel
    this.#onTaken = onTaken
    this.#signal = request.signal
    this.#signal.addEventListener('abort', onCancel, { once: true })
  }

  /** Whether it still has to be answered from here. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  get isKept(): boolean {
    return this.#isKept
  }

  receive(event: RequestEvent): void {
    if (!this.#isOpen) return
    const isLast = event.kind === 'reschedule' || event.kind === 'end' || ('final' in event && event.final)
    if (isLast) this.close()
    try {
      this.#tell(event)
    } catch (error) {
      this.close()
      this.#failAfter(error)
      // Code that waits for room would wait for ever.
      if (!isLast) this.#onCancel()
    }
  }

  fail(error: TritonError): void {
    this.receive({ kind: 'fail', error, final: true })
  }

  /** Nothing is told any more. */
  close(): void {
    this.#isOpen = false
    this.#signal.removeEventListener('abort', this.#onCancel)
  }

  #tell(event: RequestEvent): void {
    switch (event.kind) {
      case 'respond': {
        const { outputs, parameters, final } = event
        this.request.respond(
          { outputs: Object.fromEntries(unpackTensors(outputs.data, outputs.parts)), parameters },
          { final },
        )
        if (!final) this.#tellRoom()
        break
      }
      case 'fail':
        this.request.fail(fromErrorMessage(event.error), { final: event.final })
        if (!event.final) this.#tellRoom()
        break
      case 'end':
        this.request.end()
        break
      case 'keep':
        this.#isKept = true
        this.request.keep()
        break
      case 'reschedule':
        this.request.reschedule()
        break
      case 'updateState':
        for (const [output, state] of unpackTensors(event.state.data, event.state.parts)) {
          this.request.updateState(output, state)
        }
        break
      case 'activity':
        this.request.trace?.report(event.activity, event.time)
        break
    }
  }

  #tellRoom(): void {
    const room = this.request.room()
    if (room === undefined) this.#onTaken()
    else void room.then(this.#onTaken)
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
