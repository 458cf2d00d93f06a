import type { FamilyHead } from './metric-family.ts'

/** The labels of a series, as they are and as Prometheus prints them. Made once, since there may be thousands. */
export interface LabelSet {
  readonly labels: Readonly<Record<string, string>>
  /** Without braces; '' for none. */
  readonly text: string
}

/** A limit and how many values there are up to it; in a summary: a quantile and the value there. */
export type Step = readonly [at: number, value: number]

/** Where a page of metrics goes: text of one format or another, or the registry of an application. */
export interface MetricSink {
  /** What follows, until the next, belongs to this family. */
  family(head: FamilyHead): void
  /** Of a counter or a gauge. */
  value(labels: LabelSet, value: number): void
  /** @param steps upper bounds without the last, `+Inf`, with how many values are not above each. */
  histogram(labels: LabelSet, steps: Iterable<Step>, sum: number, count: number): void
  summary(labels: LabelSet, quantiles: Iterable<Step>, sum: number, count: number): void
}
