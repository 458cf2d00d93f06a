import type { InferenceResponse, TritonError } from '@triton-ts/core'

interface Waiting {
  resolve(result: IteratorResult<InferenceResponse>): void
  reject(error: TritonError): void
}

/** The responses to a request that the parent runs for the child. Those that nobody has asked for yet are kept. */
export class RemoteStream implements AsyncIterableIterator<InferenceResponse> {
  readonly #leave: () => void
  readonly #ready: InferenceResponse[] = []
  readonly #waiting: Waiting[] = []
  #hasEnded = false
  #error: TritonError | undefined

  /** @param leave the consumer wants no more. */
  constructor(leave: () => void) {
    this.#leave = leave
  }

  push(response: InferenceResponse): void {
    if (this.#hasEnded) return
    const waiting = this.#waiting.shift()
    if (waiting === undefined) this.#ready.push(response)
    else waiting.resolve({ done: false, value: response })
  }

  end(error: TritonError | undefined): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const first = error && this.#waiting.shift()
    if (first === undefined) this.#error = error
    else first.reject(error as TritonError)
    for (const { resolve } of this.#waiting.splice(0)) resolve(done)
  }

  async next(): Promise<IteratorResult<InferenceResponse>> {
    const value = this.#ready.shift()
    if (value !== undefined) return { done: false, value }
    if (this.#error !== undefined) {
      const error = this.#error
      this.#error = undefined
      throw error
    }
    if (this.#hasEnded) return done
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  async return(): Promise<IteratorResult<InferenceResponse>> {
    if (!this.#hasEnded) this.#leave()
    this.end(undefined)
    this.#ready.length = 0
    this.#error = undefined
    return done
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

const done: IteratorReturnResult<undefined> = { done: true, value: undefined }
