import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

const kept = 20
const longest = 500

/** The last lines that a process has printed. */
export class LastLines {
  readonly #lines: string[] = []

  /** @param hear is told each line as it comes. */
  constructor(stream: Readable, hear: (line: string) => void) {
    createInterface({ input: stream }).on('line', (line) => {
      this.#lines.push(line.slice(0, longest))
      if (this.#lines.length > kept) this.#lines.shift()
      hear(line)
    })
  }

  get lines(): readonly string[] {
    return this.#lines
  }
}
