import type { LiveHistogram } from '../../live-snapshot.ts'

/**
 * The value that a share of all observations does not exceed, as if those of one bucket lay evenly in it. What is above
 * all bounds counts as the highest of them.
 * @param share 0.99 for p99.
 * @returns undefined without observations.
 */
export function percentile({ bounds, counts }: LiveHistogram, share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  const wanted = share * total
  let seen = 0
  for (const [i, upper] of bounds.entries()) {
    const count = counts[i] ?? 0
    if (count > 0 && seen + count >= wanted) {
      const lower = bounds[i - 1] ?? 0
      return lower + ((upper - lower) * (wanted - seen)) / count
    }
    seen += count
  }
  return bounds.at(-1)
}

/** What came to a histogram since it looked like `before`. */
export function histogramSince(now: LiveHistogram, before: LiveHistogram | undefined): LiveHistogram {
  return { bounds: now.bounds, counts: now.counts.map((count, i) => count - (before?.counts[i] ?? 0)) }
}

/** Several histograms as one; those with other bounds than the first are left out. */
export function mergeHistograms(histograms: readonly LiveHistogram[]): LiveHistogram {
  const [first = { bounds: [], counts: [] }] = histograms
  const alike = histograms.filter(({ bounds }) => bounds.length === first.bounds.length)
  const sum = (i: number): number => alike.reduce((sum, { counts }) => sum + (counts[i] ?? 0), 0)
  return { bounds: first.bounds, counts: first.counts.map((_, i) => sum(i)) }
}
