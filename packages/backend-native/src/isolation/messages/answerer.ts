import type { AbortMessage, AnswerMessage, CallMessage, Calls } from './call-message.ts'
import { toErrorMessage } from './error-message.ts'

/** How each call is answered. The signal is aborted when its caller does not want it any more. */
export type Handlers<C extends Calls<C>> = {
  [K in keyof C]: (signal: AbortSignal, ...args: Parameters<C[K]>) => Promise<ReturnType<C[K]>>
}

type AnyHandler = (signal: AbortSignal, ...args: readonly unknown[]) => Promise<unknown>

/** Answers the calls of the other side. */
export class Answerer<C extends Calls<C>> {
  readonly #handlers: Handlers<C>
  readonly #send: (message: AnswerMessage) => void
  readonly #running = new Map<number, AbortController>()

  constructor(handlers: Handlers<C>, send: (message: AnswerMessage) => void) {
    this.#handlers = handlers
    this.#send = send
  }

  async answer({ call, method, args }: CallMessage<C>): Promise<void> {
    const controller = new AbortController()
    this.#running.set(call, controller)
    try {
      // TypeScript cannot tell that the arguments are those of this very method.
      const handle = this.#handlers[method] as unknown as AnyHandler
      this.#send({ kind: 'returned', call, value: await handle(controller.signal, ...args) })
    } catch (error) {
      this.#send({ kind: 'threw', call, error: toErrorMessage(error) })
    }
    this.#running.delete(call)
  }

  abort({ call }: AbortMessage): void {
    this.#running.get(call)?.abort()
  }

  /** The other side is gone: nobody wants any answer. */
  abortAll(): void {
    for (const controller of this.#running.values()) controller.abort()
  }
}
