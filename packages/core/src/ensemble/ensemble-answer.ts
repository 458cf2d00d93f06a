import type { ResponseContent } from '../backend/backend.ts'
import { TritonError } from '../errors.ts'
import type { InferenceRequest } from '../request/inference-request.ts'

/** What the caller of an ensemble hears. */
export class EnsembleAnswer {
  readonly #request: InferenceRequest
  readonly #isDecoupled: boolean
  /** The response of an ensemble that has only one, until no step is in flight. */
  #response: ResponseContent | undefined
  #isGiven = false

  constructor(request: InferenceRequest, isDecoupled: boolean) {
    this.#request = request
    this.#isDecoupled = isDecoupled
  }

  /** The last response was sent, or the request has ended without one. */
  get isGiven(): boolean {
    return this.#isGiven
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

  /**
   * No step is in flight any more.
   * @returns false when there should have been a response.
   * @throws TritonError when the response is not what the ensemble's configuration says.
   */
  end(): boolean {
    if (this.#response !== undefined) this.#send(this.#response, true)
    else if (this.#isDecoupled) {
      this.#isGiven = true
      this.#request.end()
    }
    return this.#isGiven
  }

  fail(error: TritonError): void {
    this.#isGiven = true
    this.#request.reject(error, 'OTHER')
  }

  #send(content: ResponseContent, isLast: boolean): void {
    this.#request.respond(content, { final: isLast })
    this.#isGiven = isLast
  }
}
