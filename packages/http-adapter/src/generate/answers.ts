import { type InferenceResponse, type Logger, TritonError } from '@triton-ts/core'
import type { Body } from '../universal.ts'
import type { GenerateResponseWriter } from './write-generate-response.ts'

/** A response as it is sent. */
export interface Answer {
  readonly body: Body
  /** It is an error, of the model or because its outputs have no JSON form. */
  readonly failed: boolean
}

/** The responses of a request as answers; it never rejects. Leaving it cancels the request, also while one is waited for. */
export class Answers implements AsyncIterableIterator<Answer, undefined> {
  readonly #responses: AsyncIterableIterator<InferenceResponse>
  readonly #writer: GenerateResponseWriter
  readonly #logger: Logger

  constructor(responses: AsyncIterableIterator<InferenceResponse>, writer: GenerateResponseWriter, logger: Logger) {
    this.#responses = responses
    this.#writer = writer
    this.#logger = logger
  }

  async next(): Promise<IteratorResult<Answer, undefined>> {
    try {
      const { done, value } = await this.#responses.next()
      if (done) return { done, value: undefined }
      if (value.error !== undefined) throw value.error
      return { done: false, value: { body: this.#writer.write(value), failed: false } }
    } catch (error) {
      return { done: false, value: { body: this.#writer.writeError(this.#textOf(error)), failed: true } }
    }
  }

  #textOf(error: unknown): string {
    if (error instanceof TritonError) return error.message
    this.#logger.error({ module: 'http', err: error }, 'a response could not be written')
    return 'internal error'
  }

  async return(): Promise<IteratorResult<Answer, undefined>> {
    await this.#responses.return?.()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
