import type { ResponseContent } from '../backend/backend.ts'
import { TritonError } from '../errors.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import type { EnsembleErrors } from './ensemble-errors.ts'

/** What the caller of an ensemble hears. */
export class EnsembleAnswer {
  readonly #request: InferenceRequest
  readonly #isDecoupled: boolean
  readonly #errors: EnsembleErrors
  /** The response of an ensemble that has only one, until no step is in flight. */
  #response: ResponseContent | undefined
  /** The last response was sent, or the request has ended without one. */
  #isGiven = false

  constructor(request: InferenceRequest, isDecoupled: boolean, errors: EnsembleErrors) {
    this.#request = request
    this.#isDecoupled = isDecoupled
    this.#errors = errors
  }

  /**
   * @param isLast whether no step is in flight any more.
   * @throws TritonError when the response is not what the ensemble's configuration says.
   */
  respond(content: ResponseContent, isLast: boolean): void {
    if (this.#isDecoupled) this.#send(content, isLast)
    else if (this.#response === undefined) this.#response = content
    else throw new TritonError('INTERNAL', 'a step had more than one response, but the ensemble is not decoupled')
  }

  /** No step is in flight any more. @param error why the ensemble has failed, if it has. */
  end(error: TritonError | undefined): void {
    if (this.#isGiven) return
    if (error !== undefined) {
      this.#fail(error)
      return
    }
    try {
      if (this.#response !== undefined) this.#send(this.#response, true)
      else if (this.#isDecoupled) this.#request.end()
      else this.#fail(this.#errors.deadlock(this.#request))
    } catch (error) {
      this.#fail(this.#errors.failure(this.#request, TritonError.from(error)))
    }
  }

  #send(content: ResponseContent, isLast: boolean): void {
    this.#request.respond(content, { final: isLast })
    this.#isGiven = isLast
  }

  #fail(error: TritonError): void {
    this.#request.reject(error, 'OTHER')
  }
}
