import type { TritonError } from '../errors.ts'
import { RingBuffer } from '../util/ring-buffer.ts'
import type { InferenceResponse } from './inference-response.ts'
import type { ResponseListener } from './response-listener.ts'

/** Responses that may wait for the consumer before the model is told that there is no room. */
const maxUnread = 16

interface Waiting {
  /** Without a response: there is none any more. */
  resolve(response: InferenceResponse | undefined): void
  reject(error: TritonError): void
}

/**
 * What is wanted of the responses of a request as an async iterable. Leaving the loop early cancels the request, also
 * while a response is waited for. Responses that nobody has asked for yet are kept, in order.
 */
export class ResponseStream<T> implements ResponseListener, AsyncIterableIterator<T> {
  readonly #select: (response: InferenceResponse) => T
  readonly #ready = new RingBuffer<InferenceResponse>()
  readonly #waiting = new RingBuffer<Waiting>()
  #ended = false
  #error: TritonError | undefined
  #cancel: (() => void) | undefined
  #room: Promise<void> | undefined
  #makeRoom: (() => void) | undefined

  /**
   * Sends a request whose responses the stream has.
   * @throws what `send` throws when the request is not taken.
   */
  static open<T>(
    send: (listener: ResponseListener) => { cancel(): void },
    select: (response: InferenceResponse) => T,
  ): ResponseStream<T> {
    const stream = new ResponseStream(select)
    const sent = send(stream)
    stream.onLeave(() => sent.cancel())
    return stream
  }

  constructor(select: (response: InferenceResponse) => T) {
    this.#select = select
  }

  /** Says how to cancel the request when the consumer leaves. */
  onLeave(cancel: () => void): void {
    this.#cancel = cancel
  }

  room(): Promise<void> | undefined {
    if (this.#ended || this.#ready.length < maxUnread) return undefined
    this.#room ??= new Promise((resolve) => {
      this.#makeRoom = resolve
    })
    return this.#room
  }

  /** Tells the model to go on, when it waits. */
  #tellRoom(): void {
    this.#makeRoom?.()
    this.#makeRoom = undefined
    this.#room = undefined
  }

  onResponse(response: InferenceResponse, final: boolean): void {
    const waiting = this.#waiting.shift()
    if (waiting !== undefined) waiting.resolve(response)
    else this.#ready.push(response)
    if (final) this.onEnd()
  }

  onEnd(): void {
    this.#ended = true
    this.#tellRoom()
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      next.resolve(undefined)
    }
  }

  onError(error: TritonError): void {
    const waiting = this.#waiting.shift()
    if (waiting !== undefined) waiting.reject(error)
    else this.#error = error
    this.onEnd()
  }

  async next(): Promise<IteratorResult<T>> {
    const response = this.#ready.shift() ?? (await this.#coming())
    if (this.#ready.length < maxUnread) this.#tellRoom()
    if (response === undefined) return { done: true, value: undefined }
    try {
      return { done: false, value: this.#select(response) }
    } catch (error) {
      // A loop does not leave an iterator that failed.
      await this.return()
      throw error
    }
  }

  async #coming(): Promise<InferenceResponse | undefined> {
    if (this.#error !== undefined) {
      const error = this.#error
      this.#error = undefined
      throw error
    }
    if (this.#ended) return undefined
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
