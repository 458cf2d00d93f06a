import { batchSizeBounds, batchSizePlace, durationBounds } from './doubling-bounds.ts'
import type { Buckets } from './histogram.ts'
import type { InferenceStats } from './inference-stats.ts'

/** One histogram of what a model version has counted; undefined where nothing was. */
export type BucketsOf = (stats: InferenceStats) => Buckets | undefined

/** Milliseconds from the arrival of a request to its answer; of successes. */
export const requestBuckets: BucketsOf = ({ histograms, successTime, cacheMissTime }) =>
  // To the time of a request Triton adds that of a cache miss, which no client waits for.
  histograms && { bounds: durationBounds, counts: histograms.request, sum: successTime - cacheMissTime }

/** Milliseconds that requests waited. */
export const queueBuckets: BucketsOf = ({ histograms, queueTime }) =>
  histograms && { bounds: durationBounds, counts: histograms.queue, sum: queueTime }

/** Milliseconds of executions. */
export const computeBuckets: BucketsOf = ({ histograms, batches }) => {
  if (histograms === undefined) return undefined
  let sum = 0
  for (const batch of batches.values()) sum += batch.computeInput + batch.computeInfer + batch.computeOutput
  return { bounds: durationBounds, counts: histograms.compute, sum }
}

/** Items of executions. */
export const batchSizeBuckets: BucketsOf = ({ batches }) => {
  if (batches.size === 0) return undefined
  const counts = new Float64Array(batchSizeBounds.length + 1)
  let sum = 0
  for (const [size, { count }] of batches) {
    const place = batchSizePlace(size)
    counts[place] = (counts[place] as number) + count
    sum += size * count
  }
  return { bounds: batchSizeBounds, counts, sum }
}

/** Milliseconds to the first response; of decoupled models. */
export const firstResponseBuckets: BucketsOf = ({ latency }) => latency.firstOfStream
