/** What a client sends along with a call: names in lower case, with one or several values. */
export class Metadata {
  readonly #headers: readonly string[]

  /** @param headers names and values in turn, as they came. */
  constructor(headers: readonly string[]) {
    this.#headers = headers
  }

  /** The first value of a name, as it was sent; undefined when it was not. */
  get(name: string): string | undefined {
    const headers = this.#headers
    for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1]
    return undefined
  }

  /**
   * Names and values, each value on its own, without those of the protocol itself. Values of names in `-bin` are
   * decoded and read as UTF-8.
   */
  *entries(): Iterable<readonly [name: string, value: string]> {
    const headers = this.#headers
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i] as string
      const value = headers[i + 1] as string
      if (name.startsWith(':') || name.startsWith('grpc-')) continue
      if (!name.endsWith('-bin')) yield [name, value]
      // Several binary values may come as one, with commas between them.
      else for (const one of value.split(',')) yield [name, Buffer.from(one, 'base64').toString()]
    }
  }
}
