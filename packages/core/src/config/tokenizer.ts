import type { Token } from './pbtxt-token.ts'

const namePattern = /[A-Za-z_][A-Za-z0-9_]*/y
const floatPattern = /(?:\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)[fF]?|\d+[fF]/y
const integerPattern = /0[xX][0-9A-Fa-f]+|\d+/y
const templatePattern = /\$\{[^}\n]{0,200}\}/y
const invalidPattern = /[^\s#"'{}<>[\]:,;\-.$/\w]+/y
const symbols = '{}<>[]:,;-'

/**
 * Cuts protobuf's text format into tokens, one at a time; after the last comes `end`, again and again. Whatever cannot
 * be a token becomes an `invalid` one. Strings may span lines, as Triton allows; with `singleLine` they end with their
 * line, which finds a forgotten quote.
 */
export class Tokenizer {
  readonly #text: string
  readonly #singleLine: boolean
  #at = 0
  #line = 1
  #lineStart = 0

  constructor(text: string, options: { readonly singleLine?: boolean } = {}) {
    this.#text = text
    this.#singleLine = options.singleLine ?? false
  }

  next(): Token {
    this.#skipSpace()
    const first = this.#text[this.#at]
    if (first === undefined) return this.#token('end', 0)
    if (first === '"' || first === "'") return this.#string(first)
    if (symbols.includes(first)) return this.#token('symbol', 1)
    return this.#word() ?? this.#invalid(first)
  }

  #word(): Token | undefined {
    const float = this.#match(floatPattern)
    const integer = this.#match(integerPattern)
    if (integer > 0 && integer >= float) return this.#token('integer', integer)
    if (float > 0) return this.#token('float', float)
    const name = this.#match(namePattern)
    if (name > 0) return this.#token('name', name)
    const template = this.#match(templatePattern)
    return template > 0 ? this.#token('template', template) : undefined
  }

  #string(quote: string): Token {
    const text = this.#text
    let end = this.#at + 1
    while (end < text.length && text[end] !== quote && !(this.#singleLine && text[end] === '\n')) {
      end += text[end] === '\\' && text[end + 1] !== '\n' ? 2 : 1
    }
    const closed = text[end] === quote
    const length = Math.min(end + (closed ? 1 : 0), text.length) - this.#at
    return closed ? this.#token('string', length) : this.#token('invalid', length, 'the string has no closing quote')
  }

  #invalid(first: string): Token {
    const comment = first === '/' && /[/*]/.test(this.#text[this.#at + 1] ?? '')
    if (comment) return this.#token('invalid', this.#restOfLine(), "a comment starts with '#'")
    const codePoint = this.#text.codePointAt(this.#at)!
    const char = String.fromCodePoint(codePoint)
    const shown = /[\p{C}\p{Z}]/u.test(char) ? `U+${codePoint.toString(16).padStart(4, '0')}` : char
    const length = Math.max(this.#match(invalidPattern), char.length)
    return this.#token('invalid', length, `unexpected character '${shown}'`)
  }

  /** Takes `length` characters as a token and keeps count of the lines in it. */
  #token(kind: Token['kind'], length: number, problem?: string): Token {
    const text = this.#text.slice(this.#at, this.#at + length)
    const position = { line: this.#line, column: this.#at - this.#lineStart + 1 }
    for (let newline = text.indexOf('\n'); newline !== -1; newline = text.indexOf('\n', newline + 1)) {
      this.#line++
      this.#lineStart = this.#at + newline + 1
    }
    this.#at += length
    return { kind, text, ...position, ...(problem !== undefined && { problem }) }
  }

  #match(pattern: RegExp): number {
    pattern.lastIndex = this.#at
    return pattern.test(this.#text) ? pattern.lastIndex - this.#at : 0
  }

  #restOfLine(): number {
    const end = this.#text.indexOf('\n', this.#at)
    return (end === -1 ? this.#text.length : end) - this.#at
  }

  #skipSpace(): void {
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]
      if (char === '#') this.#at += this.#restOfLine()
      if (this.#text[this.#at] === '\n') {
        this.#line++
        this.#lineStart = this.#at + 1
      } else if (char !== '#' && !' \t\r\v\f'.includes(char!)) return
    }
  }
}
