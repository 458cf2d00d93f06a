import type { Buckets } from './histogram.ts'
import { type FailureReason, failureReasons, type InferenceStats } from './inference-stats.ts'
import { labelSet } from './label-text.ts'
import type { LoadMeter } from './load-meter.ts'
import type { LabelSet } from './metric-sink.ts'
import type { BucketsOf } from './model-buckets.ts'

/** One model version as the metrics see it. */
export interface MeteredModel {
  readonly name: string
  /** The path of its repository where names are told apart by that; else ''. */
  readonly namespace: string
  readonly version: number
  readonly config: {
    /** Each becomes the label `_<key>`, with `_` for what no label name may have. */
    readonly metricTags: Readonly<Record<string, string>>
    /** Only with the response cache it has the metrics of one. */
    readonly responseCache?: { readonly enable: boolean }
  }
  readonly signature: { readonly decoupled: boolean }
  readonly stats: InferenceStats
  /** Seconds that its load took. */
  readonly loadDuration: number
  /** Undefined for an ensemble. */
  readonly load: LoadMeter | undefined
}

/**
 * One set of labels under which a model version is counted: that of the model, and one more for each GPU that its
 * instances run on. As in Triton, the model's own then lacks what ran there.
 */
export class ModelRow {
  readonly model: MeteredModel
  readonly stats: InferenceStats
  readonly labels: LabelSet
  /** With `reason`. */
  readonly reasons: readonly (readonly [FailureReason, LabelSet])[]
  readonly isOfGpu: boolean

  private constructor(model: MeteredModel, stats: InferenceStats, gpuUuid?: string) {
    const { name, namespace, version, config } = model
    this.model = model
    this.stats = stats
    this.isOfGpu = gpuUuid !== undefined
    const labels: Record<string, string> = { model: name, version: String(version) }
    if (namespace !== '') labels.namespace = namespace
    if (gpuUuid !== undefined) labels.gpu_uuid = gpuUuid
    for (const [key, value] of Object.entries(config.metricTags)) labels[labelName(key)] ??= value
    this.labels = labelSet(labels)
    this.reasons = failureReasons.map((reason) => [reason, labelSet({ ...labels, reason })])
  }

  /** All rows of a version. */
  static of(model: MeteredModel): ModelRow[] {
    const devices = [...(model.stats.devices ?? [])]
    return [new ModelRow(model, model.stats), ...devices.map(([uuid, stats]) => new ModelRow(model, stats, uuid))]
  }

  /** A counter without what is counted in the rows of GPUs. */
  count(counter: (stats: InferenceStats) => number): number {
    let value = counter(this.stats)
    for (const device of this.stats.devices?.values() ?? []) value -= counter(device)
    return value
  }

  /** A histogram without what is in those of the rows of GPUs; undefined where then nothing is left. */
  histogram(pick: BucketsOf): Buckets | undefined {
    const whole = pick(this.stats)
    const devices = [...(this.stats.devices?.values() ?? [])].flatMap((device) => pick(device) ?? [])
    if (whole === undefined || devices.length === 0) return whole
    const counts = whole.counts.map((count, i) =>
      devices.reduce((rest, device) => rest - (device.counts[i] ?? 0), count),
    )
    const sum = devices.reduce((rest, device) => rest - device.sum, whole.sum)
    return counts.some((count) => count > 0) ? { bounds: whole.bounds, counts, sum: Math.max(0, sum) } : undefined
  }

  get isCached(): boolean {
    return this.model.config.responseCache?.enable ?? false
  }
}

/** A key may be any text; one that is no label name, or that of the metric's name, would spoil the whole page. */
function labelName(key: string): string {
  const name = `_${key.replace(/[^a-zA-Z0-9_]/g, '_')}`
  return name === '__name__' ? key : name
}
