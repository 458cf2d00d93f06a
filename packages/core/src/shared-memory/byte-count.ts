/** A number of bytes off the wire as a number; undefined for what none can be, or is too large for any memory. */
export function byteCount(value: number | bigint): number | undefined {
  const count = Number(value)
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
