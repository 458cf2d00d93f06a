import type { ConfigProblem } from './config-error.ts'
import { createMessage, isPresent, type MessageValue, oneofRival } from './message-value.ts'
import { describeToken, isSymbol, type SourcePosition, type Token } from './pbtxt-token.ts'
import { expectation, type Reading } from './scalar.ts'
import { readScalarToken } from './scalar-text.ts'
import { type FieldSchema, isMessage, type MessageSchema } from './schema/field.ts'
import { decodeString } from './string-literal.ts'
import { suggest } from './suggest.ts'
import { TokenCursor } from './token-cursor.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Reads a message from the tokens of a text and goes on after errors, so that all of them are found at once. */
export class PbtxtParser {
  readonly notes: ConfigProblem[] = []
  /** Where each field was set first, by its path. */
  readonly positions = new Map<string, SourcePosition>()
  /** How many entries each map has had so far, by its path. */
  readonly #entryCounts = new Map<string, number>()
  readonly #cursor: TokenCursor

  constructor(tokenizer: Tokenizer) {
    this.#cursor = new TokenCursor(tokenizer)
  }

  get problems(): readonly ConfigProblem[] {
    return this.#cursor.problems
  }

  parse(schema: MessageSchema): MessageValue {
    const message = createMessage(schema)
    this.#fields(schema, message, '')
    return message
  }

  #fields(schema: MessageSchema, message: MessageValue, path: string): void {
    const cursor = this.#cursor
    while (!cursor.atEndOfLevel()) {
      const token = cursor.peek()
      if (token.kind === 'name') {
        this.#field(schema, message, path)
        if (!cursor.skip(',')) cursor.skip(';')
      } else {
        cursor.report(token, path, whyNoField(token))
        cursor.recover()
      }
    }
  }

  #field(schema: MessageSchema, message: MessageValue, parentPath: string): void {
    const name = this.#cursor.take()
    const path = parentPath === '' ? name.text : `${parentPath}.${name.text}`
    const field = schema.byName.get(name.text)
    if (!field) {
      const hint = suggest(name.text, schema.byName.keys())
      this.#cursor.report(name, path, `unknown field '${name.text}' in ${schema.name}${hint}`)
      this.#skipValue()
      return
    }
    if (!this.positions.has(path)) this.positions.set(path, positionOf(name))
    if (field.repeated || field.entry) this.#repeatedField(field, message, path)
    else this.#singularField(schema, field, message, path, name)
  }

  #singularField(schema: MessageSchema, field: FieldSchema, message: MessageValue, path: string, name: Token): void {
    const rival = oneofRival(schema, field, message)
    if (isPresent(field, message)) this.#cursor.report(name, path, `'${field.name}' is specified multiple times`)
    else if (rival) this.#cursor.report(name, path, `'${field.name}' cannot be set together with '${rival.name}'`)
    if (!this.#colon(field, path)) return
    if (isSymbol(this.#cursor.peek(), '[')) {
      this.#cursor.report(this.#cursor.peek(), path, `'${field.name}' takes a single value, not a list`)
      this.#cursor.skipToken()
      return
    }
    const value = this.#element(field.type, path)
    if (value !== undefined) message[field.key] = value
  }

  #repeatedField(field: FieldSchema, message: MessageValue, path: string): void {
    if (!this.#colon(field, path)) return
    const type = field.entry ?? field.type
    const elements = field.entry ? [] : (message[field.key] as unknown[])
    const offset = this.#entryCounts.get(path) ?? 0
    const readElement = () => {
      const elementPath = isMessage(type) ? `${path}[${elements.length + offset}]` : path
      if (!this.positions.has(elementPath)) this.positions.set(elementPath, positionOf(this.#cursor.peek()))
      const value = this.#element(type, elementPath)
      if (value !== undefined) elements.push(value)
    }
    if (isSymbol(this.#cursor.peek(), '[')) this.#cursor.within(path, () => this.#list(path, readElement))
    else readElement()
    if (!field.entry) return
    addEntries(field, message[field.key] as MessageValue, elements as MessageValue[])
    this.#entryCounts.set(path, offset + elements.length)
  }

  #list(path: string, readElement: () => void): void {
    const cursor = this.#cursor
    let hasCommas = true
    while (!cursor.atEndOfLevel() && !cursor.atField()) {
      const start = cursor.peek()
      readElement()
      if (cursor.peek() === start) cursor.skipToken()
      if (cursor.skip(',')) {
        if (isSymbol(cursor.peek(), ']')) cursor.report(cursor.peek(), path, "a list cannot end with ','")
      } else if (hasCommas && !cursor.atEndOfLevel() && !cursor.atField()) {
        cursor.report(cursor.peek(), path, "',' is missing between the elements of the list")
        hasCommas = false
      }
    }
  }

  /** One value; undefined after an error, which has been reported. */
  #element(type: FieldSchema['type'], path: string): unknown {
    const cursor = this.#cursor
    const token = cursor.peek()
    if (isMessage(type)) {
      if (!isSymbol(token, '{') && !isSymbol(token, '<')) return this.#mismatch(type, path)
      const message = createMessage(type)
      cursor.within(path, () => this.#fields(type, message, path))
      return message
    }
    if (token.kind === 'template') return this.#template(path)
    const reading = type === 'string' ? this.#string() : this.#scalar(type)
    if (!reading) return this.#mismatch(type, path)
    if ('problem' in reading) {
      cursor.report(token, path, reading.problem)
      return undefined
    }
    if (reading.note !== undefined) this.notes.push({ message: reading.note, path, ...positionOf(token) })
    return reading.value
  }

  #scalar(type: FieldSchema['type']): Reading | undefined {
    const cursor = this.#cursor
    const negative = isSymbol(cursor.peek(), '-')
    const { kind } = cursor.peek(negative ? 1 : 0)
    if (kind === 'symbol' || kind === 'invalid' || kind === 'end' || cursor.atField()) return undefined
    if (negative) cursor.take()
    return readScalarToken(type, cursor.take(), negative)
  }

  #string(): Reading | undefined {
    const literals: string[] = []
    while (this.#cursor.peek().kind === 'string') literals.push(this.#cursor.take().text)
    if (literals.length === 0) return undefined
    const decoded = decodeString(literals)
    const template = 'value' in decoded ? /\$\{[^}]{0,200}\}/.exec(decoded.value)?.[0] : undefined
    return template === undefined ? decoded : { ...decoded, note: `${template} looks like an unfilled template` }
  }

  #template(path: string): undefined {
    const token = this.#cursor.take()
    this.#cursor.report(token, path, `the template ${token.text} has not been filled in`)
  }

  /** Reports a value of another kind and steps over it. */
  #mismatch(type: FieldSchema['type'], path: string): undefined {
    const cursor = this.#cursor
    const token = cursor.peek()
    const missing = cursor.atEndOfLevel() || cursor.atField() || ',;'.includes(token.text)
    const found = missing ? 'the value is missing' : `found ${describeToken(token)}`
    cursor.report(token, path, token.problem ?? `expected ${expectation(type)} but ${found}`)
    if (token.kind === 'invalid') cursor.recover()
    else if (!missing) this.#skipScalar()
  }

  /** Takes the `:` that scalars need and messages may have. */
  #colon(field: FieldSchema, path: string): boolean {
    const cursor = this.#cursor
    if (cursor.skip(':') || field.entry || isMessage(field.type)) return true
    const token = cursor.peek()
    cursor.report(token, path, `':' is missing after '${field.name}'`)
    if (!cursor.atEndOfLevel() && !cursor.atField() && token.kind !== 'invalid' && token.text !== '{') return true
    if (token.text === '{') cursor.skipToken()
    return false
  }

  /** Steps over the value of an unknown field. */
  #skipValue(): void {
    const cursor = this.#cursor
    const colon = cursor.skip(':')
    if (cursor.atEndOfLevel() || cursor.atField()) return
    if (colon || cursor.atOpener()) this.#skipScalar()
    else cursor.recover()
  }

  #skipScalar(): void {
    const cursor = this.#cursor
    cursor.skip('-')
    const isString = cursor.peek().kind === 'string'
    do cursor.skipToken()
    while (isString && cursor.peek().kind === 'string')
  }
}

function addEntries(field: FieldSchema, map: MessageValue, entries: readonly MessageValue[]): void {
  for (const { key, value } of entries) {
    map[String(key)] = value ?? (isMessage(field.type) ? createMessage(field.type) : undefined)
  }
}

function whyNoField(token: Token): string {
  if (token.problem !== undefined) return token.problem
  if (token.kind === 'template') return `the template ${token.text} has not been filled in`
  return `expected a field name but found ${describeToken(token)}`
}

const positionOf = ({ line, column }: SourcePosition): SourcePosition => ({ line, column })
