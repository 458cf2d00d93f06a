import type { Complaints } from './complaints.ts'
import { FamilyNames } from './family-names.ts'
import { familyProblem } from './family-problem.ts'
import { labelSet } from './label-text.ts'
import {
  type FamilyHead,
  type HistogramSample,
  isHistogram,
  type MetricFamilySnapshot,
  type MetricSample,
} from './metric-family.ts'
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
 * name or a label that Prometheus does not take, a family of another type than one before it, or one whose series have
 * the names of another's.
 */
export class MergedFamilies {
  readonly #taken: FamilyNames
  readonly #complaints: Complaints
  readonly #families = new Map<string, Family>()

  /** @param taken names that the Server has families of its own for. */
  constructor(taken: FamilyNames, complaints: Complaints) {
    this.#taken = new FamilyNames([], taken)
    this.#complaints = complaints
  }

  add(family: MetricFamilySnapshot): void {
    const known = this.#families.get(family.name)
    const problem = familyProblem(family, this.#taken, known?.head)
    if (problem !== undefined) {
      this.#complaints.leftOut(family.name, problem)
      return
    }
    const { series } = known ?? this.#begin(family)
    for (const sample of family.samples) {
      const labels = labelSet(sample.labels)
      const before = series.get(labels.text)
      const sum = before === undefined ? sample : added(before.sample, sample)
      if (sum === undefined) {
        this.#complaints.leftOut(family.name, `two histograms {${labels.text}} have different buckets`)
      } else if (before === undefined) series.set(labels.text, { labels, sample })
      else before.sample = sum
    }
  }

  /** What waits for the next step lets others have the event loop. */
  *write(sink: MetricSink): Generator<undefined, void> {
    for (const { head, series } of this.#families.values()) {
      sink.family(head)
      for (const { labels, sample } of series.values()) {
        writeSample(sink, labels, sample)
        yield
      }
    }
  }

  #begin({ name, help, type }: MetricFamilySnapshot): Family {
    const family: Family = { head: { name, help, type }, series: new Map() }
    this.#families.set(name, family)
    this.#taken.take(family.head)
    return family
  }
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
