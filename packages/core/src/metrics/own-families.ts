import {
  type BucketsOf,
  batchSizeBuckets,
  computeBuckets,
  firstResponseBuckets,
  queueBuckets,
  requestBuckets,
} from './model-buckets.ts'
import { histogramFamily, type ModelFamily, valueFamily } from './model-family.ts'

const seconds = 1000

const histogram = (name: string, help: string, unit: number, pick: BucketsOf): ModelFamily =>
  histogramFamily(`triton_ts_${name}`, help, unit, (row) => row.histogram(pick))

/** Families of model versions that Triton does not have. A version that had no request has no histograms. */
export const ownFamilies: readonly ModelFamily[] = [
  histogram('request_duration_seconds', 'Time from the arrival of a request to its answer', seconds, requestBuckets),
  histogram('queue_duration_seconds', 'Time that requests waited for their execution', seconds, queueBuckets),
  histogram('compute_duration_seconds', 'Time of an execution', seconds, computeBuckets),
  histogram('batch_size', 'Items of an execution', 1, batchSizeBuckets),
  histogram(
    'first_response_seconds',
    'Time from the arrival of a request to its first response, of decoupled models',
    seconds,
    firstResponseBuckets,
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
