import type { IncomingHttpHeaders } from 'node:http2'

/** What a client sends along with a call: names in lower case, with one or several values. */
export class Metadata {
  readonly #headers: IncomingHttpHeaders

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers
  }

  /** The first value of a name; undefined when it was not sent. */
  get(name: string): string | undefined {
    const value = this.#headers[name]
    return typeof value === 'string' ? value : value?.[0]
  }

  /** Names and values, each value on its own, without those of the protocol itself. */
  *entries(): Iterable<readonly [name: string, value: string]> {
    for (const name in this.#headers) {
      if (name.startsWith(':') || name.startsWith('grpc-')) continue
      const value = this.#headers[name]
      if (value === undefined) continue
      if (typeof value === 'string') yield [name, value]
      else for (const one of value) yield [name, one]
    }
  }
}
