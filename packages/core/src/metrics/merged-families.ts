import type { Logger } from '../util/logger.ts'
import { labelSet } from './label-text.ts'
import type { FamilyHead, HistogramSample, MetricFamilySnapshot, MetricSample } from './metric-family.ts'
import type { LabelSet, MetricSink } from './metric-sink.ts'

interface Series<Sample> {
  readonly labels: LabelSet
  sample: Sample
}

interface Family {
  readonly head: FamilyHead
  readonly series: Map<string, Series<MetricSample>>
}

/**
 * Families that others count, one for each name. Series with the same labels, of the processes of two models for
 * instance, become one: counters, histograms and gauges are added up. What would spoil the page is left out and logged: a
 * name or a label that Prometheus does not take, or a family of another type than one before it.
 */
export class MergedFamilies {
  readonly #taken: ReadonlySet<string>
  readonly #logger: Logger
  readonly #families = new Map<string, Family>()

  /** @param taken names that the Server has families of its own for. */
  constructor(taken: ReadonlySet<string>, logger: Logger) {
    this.#taken = taken
    this.#logger = logger
  }

  add(family: MetricFamilySnapshot): void {
    const known = this.#families.get(family.name)
    const problem = problemOf(family, this.#taken, known?.head)
    if (problem !== undefined) {
      this.#leaveOut(family.name, problem)
      return
    }
    const { series } = known ?? this.#begin(family)
    for (const sample of family.samples) {
      const labels = labelSet(sample.labels)
      const before = series.get(labels.text)
      const sum = before === undefined ? sample : added(before.sample, sample)
      if (sum === undefined) this.#leaveOut(family.name, `two histograms {${labels.text}} have different buckets`)
      else if (before === undefined) series.set(labels.text, { labels, sample })
      else before.sample = sum
    }
  }

  write(sink: MetricSink): void {
    for (const { head, series } of this.#families.values()) {
      sink.family(head)
      for (const { labels, sample } of series.values()) writeSample(sink, labels, sample)
    }
  }

  #begin({ name, help, type }: MetricFamilySnapshot): Family {
    const family: Family = { head: { name, help, type }, series: new Map() }
    this.#families.set(name, family)
    return family
  }

  #leaveOut(metric: string, problem: string): void {
    this.#logger.warn({ metric }, `metric '${metric}' is left out: ${problem}`)
  }
}

function problemOf(
  { name, type, samples }: MetricFamilySnapshot,
  taken: ReadonlySet<string>,
  known: FamilyHead | undefined,
): string | undefined {
  if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) return 'a name has letters, digits, _ and : and starts with no digit'
  if (taken.has(name)) return 'the server has a metric of that name'
  if (known !== undefined && known.type !== type) return `it is a ${type}, and there is a ${known.type} of that name`
  if (samples.some((sample) => isHistogram(sample) !== (type === 'histogram'))) return `a sample does not fit a ${type}`
  const labels = samples.flatMap((sample) => Object.keys(sample.labels))
  const bad = labels.find(
    (label) => !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label) || (type === 'histogram' && label === 'le'),
  )
  return bad === undefined ? undefined : `it cannot have a label '${bad}'`
}

/** Undefined for histograms of different buckets. */
function added(a: MetricSample, b: MetricSample): MetricSample | undefined {
  if (!isHistogram(a) || !isHistogram(b)) {
    return isHistogram(a) || isHistogram(b) ? undefined : { labels: a.labels, value: a.value + b.value }
  }
  const [left, right] = [finite(a), finite(b)]
  if (left.length !== right.length || left.some(({ le }, i) => le !== right[i]?.le)) return undefined
  const buckets = left.map(({ le, count }, i) => ({ le, count: count + (right[i]?.count ?? 0) }))
  return { labels: a.labels, buckets, sum: a.sum + b.sum, count: a.count + b.count }
}

function writeSample(sink: MetricSink, labels: LabelSet, sample: MetricSample): void {
  if (!isHistogram(sample)) {
    sink.value(labels, sample.value)
    return
  }
  const steps = finite(sample).map(({ le, count }) => [le, count] as const)
  sink.histogram(labels, steps, sample.sum, sample.count)
}

/** Without that of everything, which is `count`. */
const finite = ({ buckets }: HistogramSample): HistogramSample['buckets'] =>
  buckets.filter(({ le }) => le !== Number.POSITIVE_INFINITY)

const isHistogram = (sample: MetricSample): sample is HistogramSample => 'buckets' in sample
