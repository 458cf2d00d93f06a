import type { Body, BodyStream } from '../universal.ts'
import type { Answer, Answers } from './answers.ts'

/** Answers as a body, from one on that was taken already. */
export class EventStream implements BodyStream {
  readonly #answers: Answers
  #first: Answer | undefined

  constructor(first: Answer, answers: Answers) {
    this.#first = first
    this.#answers = answers
  }

  async next(): Promise<IteratorResult<Body, undefined>> {
    const first = this.#first
    this.#first = undefined
    if (first !== undefined) return { done: false, value: first.body }
    const { done, value } = await this.#answers.next()
    return done ? { done, value } : { done: false, value: value.body }
  }

  async return(): Promise<IteratorResult<Body, undefined>> {
    this.#first = undefined
    await this.#answers.return()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
