import type { ModelVersion } from '../lifecycle/model-version.ts'
import { type Buckets, histogramSnapshot } from './histogram.ts'
import { batchSizeBounds, durationBounds, type RequestHistograms } from './request-histograms.ts'
import type { HistogramSnapshot, ModelSnapshot } from './server-snapshot.ts'

/** One model version as it stands now. */
export function modelSnapshot(model: ModelVersion): ModelSnapshot {
  const { name, namespace, version, stats, signature, load, loadDuration } = model
  const parts = [stats, ...(stats.devices?.values() ?? [])]
  const spread = (pick: (of: RequestHistograms) => Buckets, bounds: Float64Array, unit: number): HistogramSnapshot => {
    const histograms = parts.flatMap(({ latency: { histograms } }) => (histograms ? [pick(histograms)] : []))
    return histogramSnapshot(histograms, bounds, unit)
  }
  const durations = (pick: (of: RequestHistograms) => Buckets): HistogramSnapshot => spread(pick, durationBounds, 1000)
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
    requestDuration: durations(({ request }) => request),
    queueDuration: durations(({ queue }) => queue),
    computeDuration: durations(({ compute }) => compute),
    batchSize: spread(({ batchSize }) => batchSize, batchSizeBounds, 1),
    firstResponse: durations(({ firstResponse }) => firstResponse),
  }
}
