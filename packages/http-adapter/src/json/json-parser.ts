import { StringCache } from '@triton-ts/protocol'
import { JsonArray } from './json-array.ts'
import { JsonNumber, JsonObject, type JsonValue } from './json-value.ts'
import { maxNesting, nestingError, syntaxError } from './parse-error.ts'
import { readNumbers } from './read-numbers.ts'
import { Scratch } from './scratch.ts'
import { unescapeInto } from './unescape.ts'

/**
 * Parses JSON as RapidJSON does for Triton: the same dialect (NaN and Inf literals, a leading byte-order mark, a NUL
 * ends the document), the same first error at the same offset. Numbers are rounded correctly, which RapidJSON's default
 * mode does not always do. Arrays of leaves are packed, see `JsonArray`, and valid only while the document is read.
 */
export class JsonParser {
  readonly #scratch = new Scratch()
  readonly #names = new StringCache()
  #bytes: Uint8Array = this.#scratch.bytes
  #at = 0

  /**
   * Parses a document and hands it to `read`.
   * @throws TritonError INTERNAL for malformed text, INVALID_ARG for nesting beyond `maxNesting`.
   */
  parse<T>(bytes: Uint8Array, read: (document: JsonValue) => T): T {
    this.#bytes = bytes
    this.#at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    try {
      if (!this.#skipSpace()) throw syntaxError('empty', this.#at)
      const document = this.#value(0)
      if (this.#skipSpace()) throw syntaxError('notSingular', this.#at)
      return read(document)
    } finally {
      this.#bytes = this.#scratch.reset()
    }
  }

  /** The byte after white space; 0 at the end. */
  #skipSpace(): number {
    const bytes = this.#bytes
    let at = this.#at
    let byte = bytes[at]
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++at]
    this.#at = at
    return byte ?? 0
  }

  #value(depth: number): JsonValue {
    switch (this.#bytes[this.#at]) {
      case 0x7b /* { */:
        return this.#object(depth + 1)
      case 0x5b /* [ */:
        return this.#array(depth + 1)
      case 0x22 /* " */:
        return this.#string()
      case 0x74 /* t */:
        return this.#word('true', true)
      case 0x66 /* f */:
        return this.#word('false', false)
      case 0x6e /* n */:
        return this.#word('null', null)
      default:
        return this.#number()
    }
  }

  #word<T>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      if (this.#bytes[this.#at + i] !== word.charCodeAt(i)) throw syntaxError('value', this.#at + i)
    }
    this.#at += word.length
    return value
  }

  #object(depth: number): JsonObject {
    if (depth > maxNesting) throw nestingError(maxNesting)
    const object = new JsonObject()
    this.#at++
    if (this.#skipSpace() === 0x7d) {
      this.#at++
      return object
    }
    for (;;) {
      if (this.#bytes[this.#at] !== 0x22) throw syntaxError('name', this.#at)
      object.keys.push(this.#string())
      if (this.#skipSpace() !== 0x3a) throw syntaxError('colon', this.#at)
      this.#at++
      this.#skipSpace()
      object.values.push(this.#value(depth))
      const next = this.#skipSpace()
      if (next !== 0x2c && next !== 0x7d) throw syntaxError('objectEnd', this.#at)
      this.#at++
      if (next === 0x7d) return object
      this.#skipSpace()
    }
  }

  #array(depth: number): JsonArray {
    if (depth > maxNesting) throw nestingError(maxNesting)
    const array = new JsonArray(this.#scratch)
    this.#at++
    if (this.#skipSpace() === 0x5d) {
      this.#at++
      return array
    }
    for (;;) {
      this.#element(array, depth)
      const next = this.#skipSpace()
      if (next !== 0x2c && next !== 0x5d) throw syntaxError('arrayEnd', this.#at)
      this.#at++
      if (next === 0x5d) return array
      this.#skipSpace()
    }
  }

  /** Reads one element, or as many numbers as follow each other. */
  #element(array: JsonArray, depth: number): void {
    const byte = this.#bytes[this.#at]
    if (byte === 0x5b) array.pushArray(this.#array(depth + 1))
    else if (byte === 0x7b || byte === 0x6e) array.push(this.#value(depth))
    else if (byte === 0x22) {
      if (array.takes('strings')) this.#packString(array)
      else this.#discard(array, this.#string())
    } else if (byte === 0x74 || byte === 0x66) {
      const value = this.#value(depth) as boolean
      if (array.takes('booleans')) this.#packBoolean(array, value)
      else this.#discard(array, value)
    } else if (array.takes('numbers')) this.#at = readNumbers(this.#bytes, this.#at, array, true)
    else this.#discard(array, this.#number())
  }

  /** Keeps a leaf only where the array keeps its elements one by one. */
  #discard(array: JsonArray, value: JsonValue): void {
    if (array.kind === 'values') array.push(value)
  }

  #packBoolean(array: JsonArray, value: boolean): void {
    const { scratch } = array
    scratch.reserveBytes(1)
    scratch.bytes[scratch.byteCount++] = value ? 1 : 0
    array.count++
  }

  #packString(array: JsonArray): void {
    const { scratch } = array
    const bytes = this.#bytes
    const start = this.#at + 1
    let end = start
    let byte = bytes[end] as number
    while (byte >= 0x20 && byte !== 0x22 && byte !== 0x5c) byte = bytes[++end] as number
    const plain = byte === 0x22
    // No escape makes a string longer than it is in the text.
    scratch.reserveBytes(4 + (plain ? end : bytes.length) - start)
    const from = scratch.byteCount + 4
    let to = from + (end - start)
    if (plain) {
      scratch.bytes.set(bytes.subarray(start, end), from)
      this.#at = end + 1
    } else {
      const rest = unescapeInto(bytes, start, scratch.bytes, from)
      to = rest.length
      this.#at = rest.next
    }
    scratch.bytes.writeUInt32LE(to - from, from - 4)
    scratch.byteCount = to
    array.end = to
    array.count++
  }

  #string(): string {
    const bytes = this.#bytes
    const start = this.#at + 1
    let end = start
    let seen = 0
    let byte = bytes[end] as number
    while (byte >= 0x20 && byte !== 0x22 && byte !== 0x5c) {
      seen |= byte
      byte = bytes[++end] as number
    }
    if (byte !== 0x22) return this.#escapedString(start)
    this.#at = end + 1
    return this.#names.get(bytes, start, end, seen < 0x80)
  }

  #escapedString(start: number): string {
    const scratch = this.#scratch
    scratch.reserveBytes(this.#bytes.length - start)
    const { length, next } = unescapeInto(this.#bytes, start, scratch.bytes, scratch.byteCount)
    this.#at = next
    return scratch.bytes.toString('utf8', scratch.byteCount, length)
  }

  #number(): JsonNumber {
    const scratch = this.#scratch
    const array = new JsonArray(scratch)
    array.takes('numbers')
    this.#at = readNumbers(this.#bytes, this.#at, array, false)
    const value = scratch.numbers[--scratch.numberCount] as number
    const isInteger = array.notInt64At > 0 || array.notUint64At > 0
    const number = new JsonNumber(value, isInteger ? (array.bigInteger(0) ?? value) : undefined)
    scratch.bigIntegers.delete(scratch.numberCount)
    return number
  }
}
