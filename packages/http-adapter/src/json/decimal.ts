/** Powers of ten that a double holds exactly. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))

/** Splits a double into two of 26 bits, for products without rounding (Veltkamp). */
const splitter = 2 ** 27 + 1

/** `leading` (below 1e15) times ten to `exponent`, correctly rounded, or NaN where that needs more care. */
export function scaleShort(leading: number, exponent: number): number {
  // Both operands are exact, so the one operation rounds correctly.
  if (exponent < 0) return exponent < -22 ? Number.NaN : leading / (powers[-exponent] as number)
  return exponent > 22 ? Number.NaN : leading * (powers[exponent] as number)
}

/**
 * The decimal whose digits are `leading` (up to 15 digits) and then `trailing` (`trailingDigits`, up to 15), scaled down
 * by ten to `-exponent`; correctly rounded, or NaN where double-double arithmetic cannot tell. This is the form of most
 * numbers that clients send: an FP32 value printed as a double has 17 digits.
 */
export function scaleLong(leading: number, trailing: number, trailingDigits: number, exponent: number): number {
  if (exponent > 0 || exponent < -22) return Number.NaN
  // The digits as an unevaluated sum: high + low.
  const shift = powers[trailingDigits] as number
  const product = leading * shift
  const productError = productTail(leading, shift, product)
  const high = product + trailing
  const low = productError + (trailing - (high - product))
  // high + low divided by an exact power of ten, as quotient + correction.
  const divisor = powers[-exponent] as number
  const quotient = high / divisor
  const back = quotient * divisor
  const correction = (high - back - productTail(quotient, divisor, back) + low) / divisor
  // The correction is good to 50 bits. When moving it by its error changes nothing, the rounding is right.
  const error = Math.abs(correction) * 2 ** -48 + quotient * 2 ** -100
  const result = quotient + (correction - error)
  return result === quotient + (correction + error) ? result : Number.NaN
}

/** What `product = a * b` lost in rounding, exactly (Dekker). */
function productTail(a: number, b: number, product: number): number {
  const a1 = splitter * a - (splitter * a - a)
  const b1 = splitter * b - (splitter * b - b)
  const a2 = a - a1
  const b2 = b - b1
  return a1 * b1 - product + a1 * b2 + a2 * b1 + a2 * b2
}
