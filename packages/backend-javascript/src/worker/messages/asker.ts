import type { TritonError } from '@triton-ts/core'
import { type ErrorMessage, fromErrorMessage, toErrorMessage } from './error-message.ts'

/** Questions of one side by name, as functions of one argument. */
export type Questions<Q> = { [K in keyof Q]: (argument: never) => unknown }

/** Questions and answers, both ways. Who asks numbers them. */
export type Asking =
  | { readonly kind: 'ask'; readonly id: number; readonly question: PropertyKey; readonly argument: unknown }
  /** The answer is not wanted any more, but comes. */
  | { readonly kind: 'abandon'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refuse'; readonly id: number; readonly error: ErrorMessage }

/** Sends a message; the buffers go to the other side. */
export type Send<M> = (message: M, transfer?: readonly ArrayBuffer[]) => void

interface Waiting {
  resolve(value: unknown): void
  reject(error: TritonError): void
}

/** Asks the other side. */
export class Asker<Q extends Questions<Q>> {
  readonly #send: Send<Asking>
  readonly #waiting = new Map<number, Waiting>()
  #last = 0
  #end: TritonError | undefined

  constructor(send: Send<Asking>) {
    this.#send = send
  }

  async ask<K extends keyof Q>(
    question: K,
    argument: Parameters<Q[K]>[0],
    {
      signal,
      transfer,
    }: { readonly signal?: AbortSignal | undefined; readonly transfer?: readonly ArrayBuffer[] } = {},
  ): Promise<ReturnType<Q[K]>> {
    if (this.#end !== undefined) throw this.#end
    const id = ++this.#last
    const abandon = (): void => this.#send({ kind: 'abandon', id })
    const answered = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    this.#send({ kind: 'ask', id, question, argument }, transfer)
    if (signal?.aborted) abandon()
    else signal?.addEventListener('abort', abandon, { once: true })
    try {
      return (await answered) as ReturnType<Q[K]>
    } finally {
      this.#waiting.delete(id)
      signal?.removeEventListener('abort', abandon)
    }
  }

  receive(message: Extract<Asking, { kind: 'answer' | 'refuse' }>): void {
    const waiting = this.#waiting.get(message.id)
    if (message.kind === 'answer') waiting?.resolve(message.value)
    else waiting?.reject(fromErrorMessage(message.error))
  }

  /** The other side is gone. */
  end(error: TritonError): void {
    this.#end = error
    for (const { reject } of this.#waiting.values()) reject(error)
  }
}

/** How each question is answered. The signal is aborted when the answer is not wanted any more. */
export type Answers<Q extends Questions<Q>> = {
  [K in keyof Q]: (argument: Parameters<Q[K]>[0], signal: AbortSignal) => Promise<ReturnType<Q[K]>>
}

/** Answers the other side. */
export class Answerer<Q extends Questions<Q>> {
  readonly #answers: Answers<Q>
  readonly #send: Send<Asking>
  readonly #running = new Map<number, AbortController>()

  constructor(answers: Answers<Q>, send: Send<Asking>) {
    this.#answers = answers
    this.#send = send
  }

  /** Never rejects. */
  async receive(message: Extract<Asking, { kind: 'ask' | 'abandon' }>): Promise<void> {
    const { id } = message
    if (message.kind === 'abandon') {
      this.#running.get(id)?.abort()
      return
    }
    const controller = new AbortController()
    this.#running.set(id, controller)
    try {
      const answer = this.#answers[message.question as keyof Q] as (argument: unknown, signal: AbortSignal) => unknown
      const value = await answer(message.argument, controller.signal)
      this.#send({ kind: 'answer', id, value }, buffersOf(value))
    } catch (error) {
      this.#send({ kind: 'refuse', id, error: toErrorMessage(error) })
    }
    this.#running.delete(id)
  }

  /** The other side is gone. */
  abandonAll(): void {
    for (const controller of this.#running.values()) controller.abort()
  }
}

/** Packed tensors are handed over. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const data = typeof value === 'object' && value !== null && 'data' in value ? value.data : undefined
  return data instanceof ArrayBuffer ? [data] : []
}
