/** A JSON value whose integers are bigints, so that 64-bit numbers compare without loss and differ from floats. */
export type LenientJson = null | boolean | bigint | number | string | LenientJson[] | { [key: string]: LenientJson }

const numberPattern = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
/** Where a string ends; `JSON.parse` judges what is between. */
const stringPattern = /"[^"\\]*(?:\\.[^"\\]*)*"/sy
const spacePattern = /[ \t\n\r]*/y
const words: [string, LenientJson][] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]

/** Parses JSON with the literals NaN, Infinity and -Infinity, which Triton's answers may contain; undefined when it is not that. */
export function parseLenientJson(text: string): LenientJson | undefined {
  const reader = new Reader(text)
  try {
    return reader.document()
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): LenientJson {
    const value = this.#value()
    this.#match(spacePattern)
    if (this.#at < this.#text.length) this.#fail()
    return value
  }

  #value(): LenientJson {
    this.#match(spacePattern)
    if (this.#take('{')) return this.#object()
    if (this.#take('[')) return this.#list(']', () => this.#value())
    const quoted = this.#match(stringPattern)
    if (quoted) return JSON.parse(quoted[0])
    for (const [word, value] of words) if (this.#take(word)) return value
    const number = this.#match(numberPattern)
    if (!number) this.#fail()
    return number[1] || number[2] ? Number(number[0]) : BigInt(number[0])
  }

  #object(): LenientJson {
    return Object.fromEntries(
      this.#list('}', (): [string, LenientJson] => {
        this.#match(spacePattern)
        const key = this.#match(stringPattern) ?? this.#fail()
        this.#match(spacePattern)
        if (!this.#take(':')) this.#fail()
        return [JSON.parse(key[0]), this.#value()]
      }),
    )
  }

  #list<T>(close: string, entry: () => T): T[] {
    const entries: T[] = []
    this.#match(spacePattern)
    if (this.#take(close)) return entries
    for (;;) {
      entries.push(entry())
      this.#match(spacePattern)
      if (this.#take(close)) return entries
      if (!this.#take(',')) this.#fail()
    }
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match) this.#at = pattern.lastIndex
    return match
  }

  #fail(): never {
    throw new SyntaxError(`not JSON at offset ${this.#at}`)
  }
}
