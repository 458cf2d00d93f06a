import type { Logger } from '../util/logger.ts'
import { familyLines } from './family-text.ts'
import { failureReasons, type InferenceStats } from './inference-stats.ts'
import { labelText } from './label-text.ts'
import type { MetricFamilySnapshot } from './metric-family.ts'

/** One model version as the metrics see it. */
export interface MeteredModel {
  readonly name: string
  /** The path of its repository where names are told apart by that; else ''. */
  readonly namespace: string
  readonly version: number
  /** `metric_tags` of the configuration; each becomes the label `_<key>`, with `_` for what no label name may have. */
  readonly tags: Readonly<Record<string, string>>
  /** Whether its configuration enables the response cache; only then it has the metrics of one. */
  readonly isCached: boolean
  readonly stats: InferenceStats
}

interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly value: (stats: InferenceStats) => number
}

const microseconds = (milliseconds: number): number => Math.round(milliseconds * 1000)

/** Names and help texts are Triton's: dashboards and alerts rely on them. */
const families: readonly Family[] = [
  {
    name: 'nv_inference_request_success',
    help: 'Number of successful inference requests, all batch sizes',
    type: 'counter',
    value: (stats) => stats.success,
  },
  {
    name: 'nv_inference_count',
    help: 'Number of inferences performed (does not include cached requests)',
    type: 'counter',
    value: (stats) => stats.inferenceCount,
  },
  {
    name: 'nv_inference_exec_count',
    help: 'Number of model executions performed (does not include cached requests)',
    type: 'counter',
    value: (stats) => stats.executionCount,
  },
  {
    name: 'nv_inference_request_duration_us',
    help: 'Cumulative inference request duration in microseconds (includes cached requests)',
    type: 'counter',
    value: (stats) => microseconds(stats.successTime),
  },
  {
    name: 'nv_inference_queue_duration_us',
    help: 'Cumulative inference queuing duration in microseconds (includes cached requests)',
    type: 'counter',
    value: (stats) => microseconds(stats.queueTime),
  },
  {
    name: 'nv_inference_compute_input_duration_us',
    help: 'Cumulative compute input duration in microseconds (does not include cached requests)',
    type: 'counter',
    value: (stats) => microseconds(stats.computeInputTime),
  },
  {
    name: 'nv_inference_compute_infer_duration_us',
    help: 'Cumulative compute inference duration in microseconds (does not include cached requests)',
    type: 'counter',
    value: (stats) => microseconds(stats.computeInferTime),
  },
  {
    name: 'nv_inference_compute_output_duration_us',
    help: 'Cumulative inference compute output duration in microseconds (does not include cached requests)',
    type: 'counter',
    value: (stats) => microseconds(stats.computeOutputTime),
  },
  {
    name: 'nv_inference_pending_request_count',
    help: 'Instantaneous number of pending requests awaiting execution per-model.',
    type: 'gauge',
    value: (stats) => stats.pending,
  },
]

const cacheFamilies: readonly Family[] = [
  {
    name: 'nv_cache_num_hits_per_model',
    help: 'Number of cache hits per model',
    type: 'counter',
    value: (stats) => stats.cacheHits,
  },
  {
    name: 'nv_cache_hit_duration_per_model',
    help: 'Total cache hit duration per model, in microseconds',
    type: 'counter',
    value: (stats) => microseconds(stats.cacheHitTime),
  },
  {
    name: 'nv_cache_num_misses_per_model',
    help: 'Number of cache misses per model',
    type: 'counter',
    value: (stats) => stats.cacheMisses,
  },
  {
    name: 'nv_cache_miss_duration_per_model',
    help: 'Total cache miss (insert+lookup) duration per model, in microseconds',
    type: 'counter',
    value: (stats) => microseconds(stats.cacheMissTime),
  },
]

const failureFamily = {
  name: 'nv_inference_request_failure',
  help: 'Number of failed inference requests, all batch sizes',
  type: 'counter',
}

const ownNames: ReadonlySet<string> = new Set([...families, ...cacheFamilies, failureFamily].map(({ name }) => name))

/** The models' counters and then the other families, in Prometheus text format 0.0.4. */
export function renderMetrics(
  models: readonly MeteredModel[],
  others: readonly MetricFamilySnapshot[],
  logger: Logger,
): string {
  const lines: string[] = []
  const head = ({ name, help, type }: { name: string; help: string; type: string }): void => {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
  }
  const labels = new Map(models.map((model) => [model, ownLabels(model)] as const))
  // Labels are in the order of their names.
  const sample = (name: string, model: MeteredModel, more: string, value: number): void => {
    lines.push(`${name}{${labels.get(model)},${more}version="${model.version}"} ${value}`)
  }
  const series = (family: Family, of: readonly MeteredModel[]): void => {
    head(family)
    for (const model of of) sample(family.name, model, '', family.value(model.stats))
  }
  for (const family of families) {
    series(family, models)
    if (family.name !== 'nv_inference_request_success') continue
    head(failureFamily)
    for (const model of models) {
      for (const reason of failureReasons) {
        sample(failureFamily.name, model, `reason="${reason}",`, model.stats.failures[reason])
      }
    }
  }
  const cached = models.filter(({ isCached }) => isCached)
  if (cached.length > 0) for (const family of cacheFamilies) series(family, cached)
  for (const line of familyLines(others, ownNames, logger)) lines.push(line)
  return `${lines.join('\n')}\n`
}

/** The labels that come before `reason` and `version`. */
function ownLabels({ name, namespace, tags }: MeteredModel): string {
  const all: Record<string, string> = { model: name, ...(namespace === '' ? {} : { namespace }) }
  for (const [key, value] of Object.entries(tags)) all[`_${labelName(key)}`] = value
  return labelText(all)
}

/** A key may be any text; one that is no label name would spoil the whole page. */
const labelName = (key: string): string => key.replace(/[^a-zA-Z0-9_]/g, '_')
