import { TritonError } from '../errors.ts'
import type { InferenceResponse } from './inference-response.ts'
import type { ResponseListener } from './response-listener.ts'

/** Turns the one response of a request into a promise: what `Model.send` is told to have what `Model.request` gives. */
export class SingleResponse implements ResponseListener {
  readonly promise: Promise<InferenceResponse>
  #resolve!: (response: InferenceResponse) => void
  #reject!: (error: TritonError) => void
  #response: InferenceResponse | undefined
  #count = 0

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  onResponse(response: InferenceResponse, final: boolean): void {
    this.#count++
    this.#response = response
    if (final) this.onEnd()
  }

  onEnd(): void {
    if (this.#count === 1) this.#resolve(this.#response as InferenceResponse)
    else this.#reject(new TritonError('INTERNAL', `expected a single response, got ${this.#count}`))
  }

  onError(error: TritonError): void {
    this.#reject(error)
  }
}
