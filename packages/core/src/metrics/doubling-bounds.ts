/** Upper bounds of durations in milliseconds, each twice the one before: from 0.1 to 13 seconds. */
export const durationBounds = doubling(0.1, 18)

/** Upper bounds of the items of an execution: 1 to 512. */
export const batchSizeBounds = doubling(1, 10)

const longest = durationBounds[17] as number
const largest = batchSizeBounds[9] as number

/**
 * The first of `durationBounds` that a duration is not above, or how many there are. Each request asks twice, so it is
 * found without a search: above bound number i - 1 and not above number i are those that need i bits, counted from 0.
 * @param milliseconds 0 or more.
 */
export function durationPlace(milliseconds: number): number {
  if (milliseconds > longest) return durationBounds.length
  const steps = Math.ceil(milliseconds * 10) - 1
  return steps > 0 ? 32 - Math.clz32(steps) : 0
}

/** The same of `batchSizeBounds`. @param items a whole number, 0 or more. */
export function batchSizePlace(items: number): number {
  if (items > largest) return batchSizeBounds.length
  return items > 1 ? 32 - Math.clz32(items - 1) : 0
}

function doubling(least: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => least * 2 ** i)
}
