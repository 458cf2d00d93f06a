import type { ConfigProblem } from './config-error.ts'
import { isSymbol, type SourcePosition, type Token } from './pbtxt-token.ts'
import type { Tokenizer } from './tokenizer.ts'

const closerOf: Readonly<Record<string, string>> = { '{': '}', '<': '>', '[': ']' }
const closers = '}>]'
const end: Token = { kind: 'end', text: '', line: 0, column: 0 }
const greatestDepth = 100
const greatestProblemCount = 100

/**
 * Walks over the tokens of a text, collects what is wrong with it, and finds the place to go on after an error: it
 * knows which closing brackets the enclosing levels wait for. Once it gave up, every further token is the end.
 */
export class TokenCursor {
  readonly problems: ConfigProblem[] = []
  readonly #tokenizer: Tokenizer
  /** Tokens that were looked at but not taken yet. */
  #ahead: Token[] = []
  readonly #expected: string[] = []
  #gaveUp = false

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer
  }

  peek(ahead: 0 | 1 = 0): Token {
    while (this.#ahead.length <= ahead) this.#ahead.push(this.#gaveUp ? end : this.#tokenizer.next())
    return this.#ahead[ahead]!
  }

  take(): Token {
    const token = this.peek()
    this.#ahead.shift()
    return token
  }

  /** Takes the next token if it is that symbol. */
  skip(symbol: string): boolean {
    const found = isSymbol(this.peek(), symbol)
    if (found) this.take()
    return found
  }

  report(position: SourcePosition, path: string, message: string): void {
    if (this.#gaveUp) return
    const { line, column } = position
    this.problems.push({ message, path, line, column })
    if (this.problems.length === greatestProblemCount) {
      this.#giveUp({ message: 'further problems are not shown' })
    }
  }

  /** Takes the opening bracket, runs `body`, takes the closing one; a missing one is reported where it was opened. */
  within(path: string, body: () => void): void {
    const open = this.take()
    const closer = closerOf[open.text]!
    this.#expected.push(closer)
    body()
    this.#expected.pop()
    if (this.skip(closer)) return
    const next = this.peek()
    const isStray = next.kind === 'symbol' && closers.includes(next.text) && !this.#expected.includes(next.text)
    if (isStray) this.report(this.take(), path, `expected '${closer}' but found '${next.text}'`)
    else this.report(open, path, `'${open.text}' is never closed`)
    if (next.kind === 'end') this.#giveUp()
  }

  /** Whether the next token is an opening bracket of a value. */
  atOpener(): boolean {
    const { kind, text } = this.peek()
    return kind === 'symbol' && closerOf[text] !== undefined
  }

  /** Whether a closing bracket of this or an enclosing level comes next, right or wrong, or the end. */
  atEndOfLevel(): boolean {
    const { kind, text } = this.peek()
    return kind === 'end' || (kind === 'symbol' && closers.includes(text) && this.#expected.length > 0)
  }

  /** Whether the next tokens are the start of a field: `name:`, `name {`, `name [` or `name <`. */
  atField(): boolean {
    const next = this.peek(1)
    return this.peek().kind === 'name' && next.kind === 'symbol' && ':{[<'.includes(next.text)
  }

  /** Goes on to the next field or the end of the level, over at least one token. */
  recover(): void {
    do this.skipToken()
    while (!this.atEndOfLevel() && !this.atField())
  }

  /** Takes one token or, from its opening bracket on, a whole bracketed part. */
  skipToken(): void {
    const waiting: string[] = []
    do {
      if (this.atEndOfLevel() && !waiting.includes(this.peek().text)) return
      const { text, kind } = this.take()
      if (kind !== 'symbol') continue
      const closer = closerOf[text]
      if (closer !== undefined) waiting.push(closer)
      else if (closers.includes(text)) waiting.splice(waiting.lastIndexOf(text))
      if (waiting.length > greatestDepth) this.#tooDeep()
    } while (waiting.length > 0)
  }

  #tooDeep(): void {
    this.report(this.peek(), '', `brackets are nested deeper than ${greatestDepth} levels`)
    this.#giveUp()
  }

  #giveUp(last?: ConfigProblem): void {
    if (last) this.problems.push(last)
    this.#gaveUp = true
    this.#ahead = []
  }
}
