import type { HistogramSnapshot } from './server-snapshot.ts'

/** How often values of which size were observed. */
export interface Buckets {
  /** Upper bounds, ascending; many share them. */
  readonly bounds: Float64Array
  /** How many values were not above each bound and above the one before; the last: above all. */
  readonly counts: Float64Array
  /** Of all values. */
  readonly sum: number
}

/** Counts values by size, with any bounds. An observation allocates nothing. */
export class Histogram implements Buckets {
  readonly bounds: Float64Array
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: Float64Array) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const { bounds, counts } = this
    let low = 0
    let high = bounds.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (value <= (bounds[middle] as number)) high = middle
      else low = middle + 1
    }
    counts[low] = (counts[low] as number) + 1
    this.sum += value
  }
}

/**
 * A histogram as it stands now; an empty one where nothing was counted.
 * @param bounds its bounds, in the unit of the snapshot; many snapshots share them.
 * @param unit 1000 makes seconds of milliseconds.
 */
export function histogramSnapshot(
  buckets: Buckets | undefined,
  bounds: readonly number[],
  unit: number,
): HistogramSnapshot {
  if (buckets === undefined) return { bounds, counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 }
  return { bounds, counts: Array.from(buckets.counts), sum: buckets.sum / unit }
}
