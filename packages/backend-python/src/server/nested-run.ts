import { responseWindow } from '../wire/window.ts'

/** A request that a model has made of another one, and how many responses the model has room for. */
export class NestedRun {
  readonly #controller = new AbortController()
  #credit: number = responseWindow
  #more: (() => void) | undefined

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  cancel(reason?: unknown): void {
    this.#controller.abort(reason)
    this.#more?.()
  }

  give(responses: number): void {
    this.#credit += responses
    this.#more?.()
  }

  /** Takes the room for one response, as soon as there is; a run that is cancelled does not wait. */
  async credit(): Promise<void> {
    while (this.#credit <= 0 && !this.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#more = resolve
      })
    }
    this.#credit--
  }
}
