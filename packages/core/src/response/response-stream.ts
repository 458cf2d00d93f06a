import type { TritonError } from '../errors.ts'
import { RingBuffer } from '../util/ring-buffer.ts'
import type { InferenceResponse } from './inference-response.ts'
import type { ResponseListener } from './response-listener.ts'

interface Waiting {
  resolve(result: IteratorResult<InferenceResponse>): void
  reject(error: TritonError): void
}

/**
 * The responses of a request as an async iterable. Leaving the loop early cancels the request. Responses that nobody
 * has asked for yet are kept, in order.
 */
export class ResponseStream implements ResponseListener, AsyncIterableIterator<InferenceResponse> {
  readonly #ready = new RingBuffer<InferenceResponse>()
  readonly #waiting = new RingBuffer<Waiting>()
  #ended = false
  #error: TritonError | undefined
  #cancel: (() => void) | undefined

  /** Says how to cancel the request when the consumer leaves. */
  onLeave(cancel: () => void): void {
    this.#cancel = cancel
  }

  onResponse(response: InferenceResponse, final: boolean): void {
    const waiting = this.#waiting.shift()
    if (waiting !== undefined) waiting.resolve({ done: false, value: response })
    else this.#ready.push(response)
    if (final) this.onEnd()
  }

  onEnd(): void {
    this.#ended = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      next.resolve({ done: true, value: undefined })
    }
  }

  onError(error: TritonError): void {
    const waiting = this.#waiting.shift()
    if (waiting !== undefined) waiting.reject(error)
    else this.#error = error
    this.onEnd()
  }

  async next(): Promise<IteratorResult<InferenceResponse>> {
    const response = this.#ready.shift()
    if (response !== undefined) return { done: false, value: response }
    if (this.#error !== undefined) {
      const error = this.#error
      this.#error = undefined
      throw error
    }
    if (this.#ended) return { done: true, value: undefined }
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  async return(): Promise<IteratorResult<InferenceResponse>> {
    this.#cancel?.()
    this.#error = undefined
    this.onEnd()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
