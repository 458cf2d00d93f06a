import type { TritonError } from '@triton-ts/core'
import type { AbortMessage, AnswerMessage, CallMessage, Calls } from './call-message.ts'
import { fromErrorMessage } from './error-message.ts'

interface Waiting {
  resolve(value: unknown): void
  reject(error: TritonError): void
}

/** Calls the other side and brings its answers to who waits for them. */
export class Caller<C extends Calls<C>> {
  readonly #send: (message: CallMessage<C> | AbortMessage) => void
  readonly #waiting = new Map<number, Waiting>()
  #lastCall = 0
  #end: TritonError | undefined

  constructor(send: (message: CallMessage<C> | AbortMessage) => void) {
    this.#send = send
  }

  /** @param signal tells the other side that the call is not wanted any more; it still answers. */
  call<K extends keyof C>(method: K, args: Parameters<C[K]>, signal?: AbortSignal): Promise<ReturnType<C[K]>> {
    const call = ++this.#lastCall
    const abort = (): void => this.#send({ kind: 'abort', call })
    const answered = new Promise<unknown>((resolve, reject) => {
      if (this.#end !== undefined) throw this.#end
      this.#waiting.set(call, { resolve, reject })
      this.#send({ kind: 'call', call, method, args } as CallMessage<C>)
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })
    return answered.finally(() => {
      this.#waiting.delete(call)
      signal?.removeEventListener('abort', abort)
    }) as Promise<ReturnType<C[K]>>
  }

  receive(answer: AnswerMessage): void {
    const waiting = this.#waiting.get(answer.call)
    if (answer.kind === 'returned') waiting?.resolve(answer.value)
    else waiting?.reject(fromErrorMessage(answer.error))
  }

  /** The other side is gone: nothing is answered any more. */
  end(error: TritonError): void {
    this.#end = error
    for (const { reject } of this.#waiting.values()) reject(error)
  }
}
