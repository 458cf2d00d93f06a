/** The number with the fewest digits that is the same in 32 bits: 0.1, where JSON has 0.10000000149011612. */
export function shortFloat(value: unknown): unknown {
  if (typeof value !== 'number' || Math.fround(value) !== value) return value
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}
