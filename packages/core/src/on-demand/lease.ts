/** Keeps a model loaded until it is disposed, which may be done twice: `await using lease = await server.lease('m')`. */
export class Lease implements Disposable, AsyncDisposable {
  /** The model that is kept. */
  readonly name: string
  #letGo: (() => void) | undefined

  /** @param letGo called once. */
  constructor(name: string, letGo: () => void) {
    this.name = name
    this.#letGo = letGo
  }

  [Symbol.dispose](): void {
    const letGo = this.#letGo
    this.#letGo = undefined
    letGo?.()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this[Symbol.dispose]()
  }
}
