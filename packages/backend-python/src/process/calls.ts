import type { TritonError } from '@triton-ts/core'
import { fromErrorMessage } from '../wire/error-message.ts'
import type { DoneCall } from '../wire/messages.ts'

interface Waiting {
  /** What the child does meanwhile, `it loaded` for instance. */
  readonly activity: string
  resolve(done: DoneCall): void
  reject(error: TritonError): void
}

/** Calls of the child that are not answered. */
export class Calls {
  readonly #waiting = new Map<number, Waiting>()
  #last = 0

  /** @param send gets the id of the call. */
  call(activity: string, send: (id: number) => void): Promise<DoneCall> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { activity, resolve, reject })
      send(id)
    })
  }

  get activities(): string[] {
    return Array.from(this.#waiting.values(), ({ activity }) => activity)
  }

  done(message: DoneCall): void {
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.error === undefined) waiting?.resolve(message)
    else waiting?.reject(fromErrorMessage(message.error))
  }

  end(error: TritonError): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
