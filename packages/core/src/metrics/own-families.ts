import type { Buckets } from './histogram.ts'
import { histogramFamily, type ModelFamily, valueFamily } from './model-family.ts'
import type { RequestHistograms } from './request-histograms.ts'

const seconds = 1000

/** Families of model versions that Triton does not have. A version that had no request has no histograms. */
export const ownFamilies: readonly ModelFamily[] = [
  histogram('request_duration_seconds', 'Time from the arrival of a request to its answer', ({ request }) => request),
  histogram('queue_duration_seconds', 'Time that requests waited for their execution', ({ queue }) => queue),
  histogram('compute_duration_seconds', 'Time of the execution of which a request was part', ({ compute }) => compute),
  histogramFamily(
    'triton_ts_batch_size',
    'Items of an execution',
    1,
    ({ stats }) => stats.latency.histograms?.batchSize,
  ),
  histogramFamily(
    'triton_ts_first_response_seconds',
    'Time from the arrival of a request to its first response, of decoupled models',
    seconds,
    ({ model, stats }) => (model.signature.decoupled ? stats.latency.histograms?.firstResponse : undefined),
  ),
  valueFamily(
    { name: 'triton_ts_responses_total', help: 'Number of responses of decoupled models', type: 'counter' },
    ({ model, stats, isOfGpu }) => (model.signature.decoupled && !isOfGpu ? stats.responseCount : undefined),
  ),
  valueFamily(
    { name: 'triton_ts_responses_per_second', help: 'Responses of decoupled models in a second', type: 'gauge' },
    ({ model, isOfGpu }) => (model.signature.decoupled && !isOfGpu ? model.load?.responseRate : undefined),
  ),
  valueFamily(
    {
      name: 'triton_ts_saturation',
      help: 'How much a model has to do compared with what it can, from 0, idle, to 1',
      type: 'gauge',
    },
    ({ model, isOfGpu }) => (isOfGpu ? undefined : model.load?.saturation),
  ),
]

function histogram(name: string, help: string, pick: (histograms: RequestHistograms) => Buckets): ModelFamily {
  return histogramFamily(
    `triton_ts_${name}`,
    help,
    seconds,
    ({ stats: { latency } }) => latency.histograms && pick(latency.histograms),
  )
}
