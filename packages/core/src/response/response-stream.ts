import type { TritonError } from '../errors.ts'
import { RingBuffer } from '../util/ring-buffer.ts'
import type { InferenceResponse } from './inference-response.ts'
import type { ResponseListener } from './response-listener.ts'

interface Waiting<T> {
  resolve(result: IteratorResult<T>): void
  reject(error: TritonError): void
}

/**
 * What is wanted of the responses of a request as an async iterable. Leaving the loop early cancels the request, also
 * while a response is waited for. Responses that nobody has asked for yet are kept, in order.
 */
export class ResponseStream<T> implements ResponseListener, AsyncIterableIterator<T> {
  readonly #select: (response: InferenceResponse) => T
  readonly #ready = new RingBuffer<T>()
  readonly #waiting = new RingBuffer<Waiting<T>>()
  #ended = false
  #error: TritonError | undefined
  #cancel: (() => void) | undefined

  constructor(select: (response: InferenceResponse) => T) {
    this.#select = select
  }

  /** Says how to cancel the request when the consumer leaves. */
  onLeave(cancel: () => void): void {
    this.#cancel = cancel
  }

  onResponse(response: InferenceResponse, final: boolean): void {
    const value = this.#select(response)
    const waiting = this.#waiting.shift()
    if (waiting !== undefined) waiting.resolve({ done: false, value })
    else this.#ready.push(value)
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

  async next(): Promise<IteratorResult<T>> {
    if (this.#ready.length > 0) return { done: false, value: this.#ready.shift() as T }
    if (this.#error !== undefined) {
      const error = this.#error
      this.#error = undefined
      throw error
    }
    if (this.#ended) return { done: true, value: undefined }
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  async return(): Promise<IteratorResult<T>> {
    this.onEnd()
    this.#cancel?.()
    while (this.#ready.length > 0) this.#ready.shift()
    this.#error = undefined
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
