import type { Buckets } from './histogram.ts'

/** Upper bounds, each twice the one before; at most 31. */
export const doublingBounds = (least: number, count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => least * 2 ** i)

/**
 * Counts values of 0 and more by size, with bounds of `doublingBounds`. It needs no search, so that an observation takes
 * some nanoseconds, and allocates nothing.
 */
export class DoublingHistogram implements Buckets {
  readonly bounds: Float64Array
  readonly counts: Float64Array
  sum = 0
  readonly #perLeast: number
  readonly #greatest: number

  constructor(bounds: Float64Array) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
    this.#perLeast = 1 / (bounds[0] as number)
    this.#greatest = bounds.at(-1) as number
  }

  observe(value: number): void {
    // Above the bound number i - 1 and not above number i are those that need i bits when they are counted from 0.
    const bits = 32 - Math.clz32(Math.ceil(value * this.#perLeast) - 1)
    const place = value > this.#greatest ? this.counts.length - 1 : value > 0 ? bits : 0
    this.counts[place] = (this.counts[place] as number) + 1
    this.sum += value
  }
}
