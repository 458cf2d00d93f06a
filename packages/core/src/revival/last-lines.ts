import type { Readable } from 'node:stream'

const kept = 20
const longest = 500
/** Characters of a line without an end, which is then told in pieces: what never ends must not be kept for ever. */
const longestHeard = 64 << 10

/** The last lines that a process has printed. */
export class LastLines {
  readonly #lines: string[] = []
  readonly #hear: (line: string) => void
  /** A line whose end has not come. */
  #begun = ''

  /** @param hear is told each line as it comes. */
  constructor(stream: Readable, hear: (line: string) => void) {
    this.#hear = hear
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => this.#take(text))
    stream.on('close', () => {
      if (this.#begun !== '') this.#end(this.#begun)
    })
  }

  get lines(): readonly string[] {
    return this.#lines
  }

  #take(text: string): void {
    // A carriage return is the end of a line, too; the last character may be the first half of one.
    const isHalf = this.#begun.endsWith('\r')
    const begun = isHalf ? this.#begun.slice(0, -1) : this.#begun
    const [first = '', ...others] = `${isHalf ? '\r' : ''}${text}`.split(/\r\n|\n|\r(?!$)/)
    const lines = [begun + first, ...others]
    this.#begun = lines.pop() ?? ''
    for (const line of lines) this.#end(line)
    if (this.#begun.length >= longestHeard) {
      this.#end(this.#begun)
      this.#begun = ''
    }
  }

  #end(line: string): void {
    this.#lines.push(line.slice(0, longest))
    if (this.#lines.length > kept) this.#lines.shift()
    this.#hear(line)
  }
}
