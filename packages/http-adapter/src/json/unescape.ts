import { syntaxError } from './parse-error.ts'

const simpleEscapes: Readonly<Record<number, number>> = {
  34: 0x22,
  47: 0x2f,
  92: 0x5c,
  98: 0x08,
  102: 0x0c,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
}

/**
 * Copies the rest of a string, from `at` inside the quotes, as UTF-8 to `target` from `to`. Bytes that are no valid
 * UTF-8 pass as they are, as with Triton.
 * @returns where the text ends in `target`, and the place behind the closing quote.
 */
export function unescapeInto(
  bytes: Uint8Array,
  at: number,
  target: Uint8Array,
  to: number,
): { readonly length: number; readonly next: number } {
  for (;;) {
    const byte = bytes[at]
    if (byte === 0x22) return { length: to, next: at + 1 }
    if (byte === undefined || byte === 0) throw syntaxError('quote', at)
    if (byte < 0x20) throw syntaxError('escape', at)
    if (byte !== 0x5c) {
      target[to++] = byte
      at++
    } else {
      const letter = bytes[at + 1] ?? 0
      const simple = simpleEscapes[letter]
      if (simple !== undefined) {
        target[to++] = simple
        at += 2
      } else if (letter === 0x75) {
        const point = codePoint(bytes, at)
        to = encode(point, target, to)
        at += point > 0xffff ? 12 : 6
      } else throw syntaxError('escape', at)
    }
  }
}

/** The code point of the `\u` escape at `at`, both halves of a pair taken together. */
function codePoint(bytes: Uint8Array, at: number): number {
  const first = hex4(bytes, at + 2, at)
  if (first < 0xd800 || first > 0xdfff) return first
  if (first > 0xdbff || bytes[at + 6] !== 0x5c || bytes[at + 7] !== 0x75) throw syntaxError('surrogate', at)
  const second = hex4(bytes, at + 8, at)
  if (second < 0xdc00 || second > 0xdfff) throw syntaxError('surrogate', at)
  return ((first - 0xd800) << 10) + (second - 0xdc00) + 0x10000
}

function hex4(bytes: Uint8Array, from: number, escapeAt: number): number {
  let value = 0
  for (let i = from; i < from + 4; i++) {
    const byte = bytes[i] ?? 0
    const lower = byte | 0x20
    if (byte >= 0x30 && byte <= 0x39) value = value * 16 + byte - 0x30
    else if (lower >= 0x61 && lower <= 0x66) value = value * 16 + lower - 0x57
    else throw syntaxError('hex', escapeAt)
  }
  return value
}

function encode(point: number, target: Uint8Array, to: number): number {
  if (point < 0x80) {
    target[to] = point
    return to + 1
  }
  if (point < 0x800) {
    target[to] = 0xc0 | (point >> 6)
    target[to + 1] = 0x80 | (point & 0x3f)
    return to + 2
  }
  if (point < 0x10000) {
    target[to] = 0xe0 | (point >> 12)
    target[to + 1] = 0x80 | ((point >> 6) & 0x3f)
    target[to + 2] = 0x80 | (point & 0x3f)
    return to + 3
  }
  target[to] = 0xf0 | (point >> 18)
  target[to + 1] = 0x80 | ((point >> 12) & 0x3f)
  target[to + 2] = 0x80 | ((point >> 6) & 0x3f)
  target[to + 3] = 0x80 | (point & 0x3f)
  return to + 4
}
