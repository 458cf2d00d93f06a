import { scaleLong, scaleShort } from './decimal.ts'
import type { JsonArray } from './json-array.ts'
import { maxInt64, maxUint64, minInt64 } from './json-value.ts'
import { syntaxError } from './parse-error.ts'

/** Digits that are gathered in one double without rounding. */
const exactDigits = 15

/**
 * Reads the number at `at` into the scratch memory of `array`, and with `many` those that follow behind commas. Digits
 * are gathered in two exact parts, `leading` and `trailing`; only numbers that do not fit there are given to `Number`.
 * This is the loop that big JSON tensors spend their time in.
 * @returns the place behind the last number.
 */
export function readNumbers(bytes: Uint8Array, at: number, array: JsonArray, many: boolean): number {
  const { scratch } = array
  let numbers = scratch.numbers
  let next = scratch.numberCount
  // Places where the run leaves the unsigned and the signed integers.
  let firstNegative = -1
  let firstFraction = -1
  for (;;) {
    const begin = at
    let byte = bytes[at] as number
    const negative = byte === 0x2d
    if (negative) byte = bytes[++at] as number
    const digits = at
    let value: number
    if (byte >= 0x30 && byte <= 0x39) {
      let leading = byte - 0x30
      let trailing = 0
      let trailingDigits = 0
      byte = bytes[++at] as number
      if (leading !== 0) {
        while (byte >= 0x30 && byte <= 0x39 && at < digits + exactDigits) {
          leading = leading * 10 + (byte - 0x30)
          byte = bytes[++at] as number
        }
        while (byte >= 0x30 && byte <= 0x39) {
          trailing = trailing * 10 + (byte - 0x30)
          trailingDigits++
          byte = bytes[++at] as number
        }
      }
      if (byte !== 0x2e && (byte | 0x20) !== 0x65) {
        if (trailingDigits === 0) {
          // A whole -0 is 0.
          value = negative && leading !== 0 ? -leading : leading
          if (value < 0 && firstNegative === -1) firstNegative = next
        } else value = longInteger(bytes, begin, at, array, next)
      } else {
        let exponent = 0
        if (byte === 0x2e) {
          const fraction = ++at
          byte = bytes[at] as number
          if (!(byte >= 0x30 && byte <= 0x39)) throw syntaxError('fraction', at)
          if (trailingDigits === 0) {
            while (byte >= 0x30 && byte <= 0x39 && at <= digits + exactDigits) {
              leading = leading * 10 + (byte - 0x30)
              byte = bytes[++at] as number
            }
          }
          while (byte >= 0x30 && byte <= 0x39) {
            trailing = trailing * 10 + (byte - 0x30)
            trailingDigits++
            byte = bytes[++at] as number
          }
          exponent = fraction - at
        }
        if ((byte | 0x20) === 0x65) {
          const fractionDigits = -exponent
          byte = bytes[++at] as number
          const down = byte === 0x2d
          if (down || byte === 0x2b) byte = bytes[++at] as number
          if (!(byte >= 0x30 && byte <= 0x39)) throw syntaxError('exponent', at)
          let power = 0
          while (byte >= 0x30 && byte <= 0x39) {
            if (power < 1e9) power = power * 10 + (byte - 0x30)
            byte = bytes[++at] as number
          }
          if (!down && power > 308 + fractionDigits) throw syntaxError('tooBig', begin)
          exponent += down ? -power : power
        }
        value =
          trailingDigits === 0
            ? scaleShort(leading, exponent)
            : trailingDigits <= exactDigits
              ? scaleLong(leading, trailing, trailingDigits, exponent)
              : Number.NaN
        if (Number.isNaN(value)) {
          value = Number(text(bytes, begin, at))
          if (!Number.isFinite(value)) throw syntaxError('tooBig', begin)
        } else if (negative) value = -value
        if (firstFraction === -1) firstFraction = next
      }
    } else {
      at = literalEnd(bytes, at)
      value = byte === 0x4e ? Number.NaN : negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
      if (firstFraction === -1) firstFraction = next
    }
    if (next === numbers.length) numbers = scratch.growNumbers()
    numbers[next++] = value
    // Go on when a comma and another number follow; everything else is for the caller to judge.
    let ahead = at
    byte = bytes[ahead] as number
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++ahead] as number
    if (many && byte === 0x2c) {
      byte = bytes[++ahead] as number
      while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++ahead] as number
      if ((byte >= 0x30 && byte <= 0x39) || byte === 0x2d) {
        at = ahead
        continue
      }
    }
    array.addNumbers(next, firstNegative, firstFraction)
    return at
  }
}

/** The place behind `NaN`, `Inf` or `Infinity`. */
function literalEnd(bytes: Uint8Array, at: number): number {
  const end = bytes[at] === 0x4e ? expect(bytes, at + 1, 'aN') : bytes[at] === 0x49 ? expect(bytes, at + 1, 'nf') : -1
  if (end === -1) throw syntaxError('value', at)
  return bytes[at] === 0x49 && bytes[end] === 0x69 ? expect(bytes, end, 'inity') : end
}

function expect(bytes: Uint8Array, at: number, rest: string): number {
  for (let i = 0; i < rest.length; i++) {
    if (bytes[at + i] !== rest.charCodeAt(i)) throw syntaxError('value', at + i)
  }
  return at + rest.length
}

/** An integer of more than 15 digits: kept as a bigint where it fits 64 bits but not a double, else as a double. */
function longInteger(bytes: Uint8Array, begin: number, end: number, array: JsonArray, at: number): number {
  const digits = text(bytes, begin, end)
  const value = Number(digits)
  if (!Number.isFinite(value)) throw syntaxError('tooBig', begin)
  const exact = digits.length <= 20 ? BigInt(digits) : undefined
  const inRange = exact !== undefined && exact >= minInt64 && exact <= maxUint64
  if (inRange && !Number.isSafeInteger(value)) array.scratch.bigIntegers.set(at, exact)
  if (!inRange || exact > maxInt64) array.markNotInt64(at)
  if (!inRange || exact < 0n) array.markNotUint64(at)
  return value
}

function text(bytes: Uint8Array, begin: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', begin, end)
}
