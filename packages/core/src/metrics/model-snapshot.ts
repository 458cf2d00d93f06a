import type { ModelVersion } from '../lifecycle/model-version.ts'
import { batchSizeBounds, durationBounds } from './doubling-bounds.ts'
import { histogramSnapshot } from './histogram.ts'
import {
  type BucketsOf,
  batchSizeBuckets,
  computeBuckets,
  firstResponseBuckets,
  queueBuckets,
  requestBuckets,
} from './model-buckets.ts'
import type { HistogramSnapshot, ModelSnapshot } from './server-snapshot.ts'

const seconds = 1000
const durationLimits = Object.freeze(Array.from(durationBounds, (bound) => bound / seconds))
const batchSizeLimits = Object.freeze([...batchSizeBounds])

/** One model version as it stands now. */
export function modelSnapshot(model: ModelVersion): ModelSnapshot {
  const { name, namespace, version, stats, signature, load, loadDuration } = model
  const durations = (pick: BucketsOf): HistogramSnapshot => histogramSnapshot(pick(stats), durationLimits, seconds)
  return {
    name,
    namespace,
    version,
    isDecoupled: signature.decoupled,
    isEnsemble: load === undefined,
    pending: stats.pending,
    inflight: model.inflight,
    instances: load?.instances ?? { busy: 0, total: 0 },
    saturation: load?.saturation,
    responseCount: stats.responseCount,
    loadDuration,
    statistics: model.statistics(),
    requestDuration: durations(requestBuckets),
    queueDuration: durations(queueBuckets),
    computeDuration: durations(computeBuckets),
    batchSize: histogramSnapshot(batchSizeBuckets(stats), batchSizeLimits, 1),
    firstResponse: durations(firstResponseBuckets),
  }
}
