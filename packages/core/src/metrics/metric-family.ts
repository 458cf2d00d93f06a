/** What a family of metrics is, whoever counts it. */
export interface FamilyHead {
  /** As in Prometheus: letters, digits, `_` and `:`, not starting with a digit. */
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
}

/** A metric that somebody else counts, as it stands now. */
export interface MetricFamilySnapshot extends FamilyHead {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly MetricSample[]
}

export type MetricSample = ValueSample | HistogramSample

/** Of a counter or gauge. */
export interface ValueSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface HistogramSample {
  readonly labels: Readonly<Record<string, string>>
  /** Upper bounds, ascending, each with how many observations were not above it; `+Inf` is `count` and may be left out. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[]
  readonly sum: number
  readonly count: number
}

export const isHistogram = (sample: MetricSample): sample is HistogramSample => 'buckets' in sample

/** Called for every page of metrics; it must be quick. */
export type MetricCollector = () => readonly MetricFamilySnapshot[]
