import type { InferenceRequest } from '../request/inference-request.ts'
import { LinkedList } from '../util/linked-list.ts'

/** What a model version has to live for: the requests that are not done with, and the ensembles that may send more. */
export class RequestsInFlight {
  readonly #requests = new LinkedList<InferenceRequest>()
  #holds = 0
  #onIdle: (() => void) | undefined

  get count(): number {
    return this.#requests.length
  }

  add(request: InferenceRequest): void {
    this.#requests.push(request)
  }

  remove(request: InferenceRequest): void {
    this.#requests.remove(request)
    if (this.#onIdle !== undefined && this.isIdle) this.#tellIdle()
  }

  /** An ensemble may send requests until `letGo` was called as often. */
  hold(): void {
    this.#holds++
  }

  letGo(): void {
    this.#holds--
    if (this.#onIdle !== undefined && this.isIdle) this.#tellIdle()
  }

  /** Whether no request is in flight and no ensemble may send one. */
  get isIdle(): boolean {
    return this.#requests.length === 0 && this.#holds === 0
  }

  /** Resolves when that is so. */
  async idle(): Promise<void> {
    if (this.isIdle) return
    await new Promise<void>((resolve) => {
      const before = this.#onIdle
      this.#onIdle = () => {
        before?.()
        resolve()
      }
    })
  }

  #tellIdle(): void {
    const tell = this.#onIdle
    this.#onIdle = undefined
    tell?.()
  }

  /** Those that are there now; they may go while one looks at them. */
  get all(): readonly InferenceRequest[] {
    return [...this.#requests]
  }
}
