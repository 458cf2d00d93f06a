import type { TritonError } from '@triton-ts/core'
import type { KeepAlive } from './keep-alive.ts'

interface Pending {
  resolve(result: unknown): void
  reject(error: TritonError): void
}

/** Work of the addon whose end an OPERATION event tells. */
export class Operations {
  readonly #keepAlive: KeepAlive
  readonly #pending = new Map<number, Pending>()
  #last = 0

  constructor(keepAlive: KeepAlive) {
    this.#keepAlive = keepAlive
  }

  /**
   * @param start begins the work, which carries this number.
   * @returns the promise of its result, and beside it what `start` returned.
   */
  start<Result, Handle>(
    start: (operation: number) => Handle,
  ): { readonly handle: Handle; readonly done: Promise<Result> } {
    const operation = ++this.#last
    const done = new Promise<Result>((resolve, reject) => {
      this.#pending.set(operation, { resolve: resolve as (result: unknown) => void, reject })
    })
    this.#keepAlive.add()
    try {
      return { handle: start(operation), done }
    } catch (error) {
      this.#take(operation)
      throw error
    }
  }

  end(operation: number, error: TritonError | undefined, result: unknown): void {
    const pending = this.#take(operation)
    if (error === undefined) pending?.resolve(result)
    else pending?.reject(error)
  }

  #take(operation: number): Pending | undefined {
    const pending = this.#pending.get(operation)
    if (this.#pending.delete(operation)) this.#keepAlive.remove()
    return pending
  }
}
