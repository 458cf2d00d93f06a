import { TritonError } from '@triton-ts/core'
import type { BackendServer } from '@triton-ts/core/backend'
import type { NestedRequest, NestedResponse } from '../host/binding.ts'
import type { KeepAlive } from '../host/keep-alive.ts'
import { errorResponse, NestedInference } from './nested-inference.ts'

/** The requests that libraries make of the engine. */
export class NestedInferences {
  readonly #keepAlive: KeepAlive
  readonly #answer: (infer: number, response: NestedResponse) => void
  readonly #pending = new Map<number, NestedInference>()

  constructor(keepAlive: KeepAlive, answer: (infer: number, response: NestedResponse) => void) {
    this.#keepAlive = keepAlive
    this.#answer = answer
  }

  /** @param server undefined when the model that asks is gone. */
  start(infer: number, request: NestedRequest, server: BackendServer | undefined): void {
    if (server === undefined) {
      this.#answer(infer, errorResponse(request, new TritonError('UNAVAILABLE', 'the model that asks is unloaded')))
      return
    }
    const inference = new NestedInference(request, (response) => this.#answer(infer, response))
    this.#pending.set(infer, inference)
    this.#keepAlive.add()
    void inference.run(server)
  }

  cancel(infer: number): void {
    this.#pending.get(infer)?.cancel()
  }

  /** The outputs of the oldest answer are copied. */
  answered(infer: number): void {
    const inference = this.#pending.get(infer)
    if (inference === undefined || !inference.letGo()) return
    this.#pending.delete(infer)
    this.#keepAlive.remove()
  }
}
