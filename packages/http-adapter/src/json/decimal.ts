/** Powers of ten that a double holds exactly. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))

/** Splits a double into two of 26 bits, for products without rounding (Veltkamp). */
const splitter = 2 ** 27 + 1
export const powersHigh = powers.map((power) => splitter * power - (splitter * power - power))
export const powersLow = powers.map((power, i) => power - (powersHigh[i] as number))

/** `leading` (below 1e15) times ten to `exponent`, correctly rounded, or NaN where that needs more care. */
export function scaleShort(leading: number, exponent: number): number {
  // Both operands are exact, so the one operation rounds correctly.
  if (exponent < 0) return exponent < -22 ? Number.NaN : leading / (powers[-exponent] as number)
  return exponent > 22 ? Number.NaN : leading * (powers[exponent] as number)
}

/**
 * The decimal whose digits are `leading` (up to 15 digits) and then `trailing` (`trailingDigits`, up to 15), times ten
 * to `exponent`; correctly rounded, or NaN where double-double arithmetic cannot tell. This is the form of most numbers
 * that clients send: an FP32 value printed as a double has 17 digits.
 */
export function scaleLong(leading: number, trailing: number, trailingDigits: number, exponent: number): number {
  const places = -exponent - trailingDigits
  if (places < 0 || places > 22) return Number.NaN
  // leading and trailing / shift over an exact power of ten, as quotient + correction.
  const divisor = powers[places] as number
  const quotient = leading / divisor
  const back = quotient * divisor
  const remainder = leading - back - productTail(quotient, places, back)
  const correction = (remainder + trailing / (powers[trailingDigits] as number)) / divisor
  // Where moving the correction by what it may be wrong changes nothing, the rounding is right.
  const error = Math.abs(correction) * 2 ** -48 + 2 ** -50 / divisor
  const result = quotient + (correction - error)
  return result === quotient + (correction + error) ? result : Number.NaN
}

/** What `product = a * 10^power` lost in rounding, exactly (Dekker). */
function productTail(a: number, power: number, product: number): number {
  const split = splitter * a
  const high = split - (split - a)
  const low = a - high
  const powerHigh = powersHigh[power] as number
  const powerLow = powersLow[power] as number
  return high * powerHigh - product + high * powerLow + low * powerHigh + low * powerLow
}
