import type { ApiError } from '../data/api.ts'
import { byId, setText } from '../dom.ts'

/** Tells whether what the page shows is of now. */
export class Connection {
  readonly #text = byId('connection', 'p')
  #lost: Date | undefined

  /** @param state of the Server. */
  live(state: string): void {
    this.#lost = undefined
    this.#tell('live', state === 'ready' ? 'Live' : `Live; the server is ${state}`)
  }

  failed({ status, message }: ApiError): void {
    if (status === 401) {
      this.#tell('lost', 'A key is needed.')
      return
    }
    this.#lost ??= new Date()
    const why = status === 0 ? '' : ` (${message})`
    this.#tell('lost', `No news since ${this.#lost.toLocaleTimeString()}${why}; trying again.`)
  }

  #tell(state: string, text: string): void {
    this.#text.dataset.state = state
    document.body.dataset.connection = state
    setText(this.#text, text)
  }
}
