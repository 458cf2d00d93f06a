import { type ParameterValue, type Tensor, TritonError } from '@triton-ts/core'
import type { ComputeDurations, ExecutionRequest, ReportedResponse } from '@triton-ts/core/backend'
import type { Run } from './run.ts'

/** What a slot needs of the host. */
export interface SlotOwner {
  /** The library may see that the caller has given up. */
  cancel(slot: RequestSlot): void
  /** The request is through. */
  finish(slot: RequestSlot): void
  /** The request will never be through. */
  lose(slot: RequestSlot): void
  /** A request ends, but not as it should; `what` says what went wrong. */
  complain(error: unknown, what: string): void
}

const more = { final: false }

/**
 * A request that a library has. It is through when its final response came and it was released; until then it keeps the
 * inputs' memory, which the library reads. The engine may be done with it earlier.
 */
export class RequestSlot {
  /** By which records name the request. */
  readonly number: number
  run: Run | undefined
  request: ExecutionRequest | undefined
  /** Whether a caller still waits, so that the process has to live on. */
  isAwaited = false
  readonly #owner: SlotOwner
  #isAnswered = false
  #hasFinal = false
  #isReleased = false
  #isFinished = false
  #signal: AbortSignal | undefined

  constructor(number: number, owner: SlotOwner) {
    this.number = number
    this.#owner = owner
  }

  begin(request: ExecutionRequest, run: Run): void {
    this.request = request
    this.run = run
    this.#isAnswered = false
    this.#hasFinal = false
    this.#isReleased = false
    this.#isFinished = false
  }

  /** @param outputs undefined: no response, only its end. */
  respond(
    outputs: Readonly<Record<string, Tensor>> | undefined,
    parameters: Readonly<Record<string, ParameterValue>>,
    final: boolean,
  ): void {
    if (final) this.#hasFinal = true
    this.#tell((request) => {
      if (final) this.#isAnswered = true
      if (outputs === undefined) request.end()
      else if (final) request.respond({ outputs, parameters })
      else request.respond({ outputs, parameters }, more)
    })
    this.#finishIfThrough()
  }

  fail(error: TritonError, final: boolean): void {
    if (final) this.#hasFinal = true
    this.#tell((request) => {
      // Nothing follows the failure of a model that is not decoupled.
      if (final || !this.run?.isDecoupled) this.#isAnswered = true
      request.fail(error, { final: this.#isAnswered })
    })
    this.#finishIfThrough()
  }

  release(isRescheduled: boolean): void {
    this.#isReleased = true
    if (isRescheduled) {
      this.#hasFinal = true
      this.#tell((request) => {
        this.#isAnswered = true
        request.reschedule()
      })
    }
    this.#finishIfThrough()
  }

  updateState(output: string, state: Tensor): void {
    this.#tell((request) => request.updateState(output, state))
  }

  reportRequest(durations: ComputeDurations, success: boolean): void {
    if (this.request !== undefined) this.run?.marks.reportRequest(this.request, durations, success)
  }

  reportResponse(response: ReportedResponse): void {
    if (this.request !== undefined) this.run?.marks.reportResponse(this.request, response)
  }

  /** `execute` returned: what the library has not answered it answers later. */
  keep(): void {
    if (!this.#isAnswered) this.request?.keep()
  }

  /** `execute` failed: the engine answers, and gets back what the library has not released. */
  takeBack(): void {
    this.#isAnswered = true
    if (this.#isReleased) return
    this.#hasFinal = true
    this.#isReleased = true
    this.#finishIfThrough()
  }

  /** The instance is gone, so nobody answers any more. */
  abandon(): void {
    if (this.#isFinished) return
    this.#tell((request) => {
      this.#isAnswered = true
      const text = `instance '${this.run?.instance}' was finalized without answering the request`
      request.fail(new TritonError('INTERNAL', text))
    })
    this.#isFinished = true
    this.#unfollow()
    this.#owner.lose(this)
  }

  followSignal(): void {
    const signal = this.request?.signal
    if (signal === undefined || this.#isFinished) return
    if (signal.aborted) this.#owner.cancel(this)
    else {
      this.#signal = signal
      signal.addEventListener('abort', this.#onAbort, { once: true })
    }
  }

  forget(): void {
    this.request = undefined
    this.run = undefined
  }

  get #isThrough(): boolean {
    return this.#hasFinal && this.#isReleased
  }

  #finishIfThrough(): void {
    if (!this.#isThrough || this.#isFinished) return
    this.#isFinished = true
    this.#unfollow()
    this.#owner.finish(this)
  }

  #unfollow(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort)
    this.#signal = undefined
  }

  readonly #onAbort = (): void => {
    this.#signal = undefined
    this.#owner.cancel(this)
  }

  /** Does something with a request that the engine waits for; where it will not have it, the request fails. */
  #tell(say: (request: ExecutionRequest) => void): void {
    const { request } = this
    if (request === undefined || this.#isAnswered) return
    try {
      say(request)
    } catch (error) {
      this.#isAnswered = true
      this.#failAfter(request, error)
    }
  }

  #failAfter(request: ExecutionRequest, error: unknown): void {
    try {
      request.fail(TritonError.from(error))
    } catch {
      // The engine had ended it already.
      this.#owner.complain(error, `an answer of instance '${this.run?.instance}' was not taken`)
    }
  }
}
