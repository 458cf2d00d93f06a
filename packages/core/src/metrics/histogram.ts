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
 * What several histograms with the same bounds have seen together.
 * @param unit of the snapshot: 1000 makes seconds of milliseconds.
 */
export function histogramSnapshot(
  histograms: readonly Buckets[],
  bounds: Float64Array,
  unit: number,
): HistogramSnapshot {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  for (const histogram of histograms) {
    sum += histogram.sum
    histogram.counts.forEach((count, i) => {
      counts[i] = (counts[i] as number) + count
    })
  }
  return { bounds: Array.from(bounds, (bound) => bound / unit), counts: [...counts], sum: sum / unit }
}
