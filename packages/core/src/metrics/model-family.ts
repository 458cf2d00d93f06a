import type { Buckets } from './histogram.ts'
import type { FamilyHead } from './metric-family.ts'
import type { MetricSink, Step } from './metric-sink.ts'
import type { ModelRow } from './model-row.ts'

/** A family that has series for model versions. */
export interface ModelFamily extends FamilyHead {
  /** Writes the series of one row; none where it has nothing to tell. */
  write(row: ModelRow, sink: MetricSink): void
}

/** A family of counters or gauges. @param read undefined: the row has none. */
export function valueFamily(head: FamilyHead, read: (row: ModelRow) => number | undefined): ModelFamily {
  return {
    ...head,
    write(row, sink) {
      const value = read(row)
      if (value !== undefined) sink.value(row.labels, value)
    },
  }
}

/** @param unit 1000 makes seconds of milliseconds. */
export function histogramFamily(
  name: string,
  help: string,
  unit: number,
  read: (row: ModelRow) => Buckets | undefined,
): ModelFamily {
  return {
    name,
    help,
    type: 'histogram',
    write(row, sink) {
      const histogram = read(row)
      if (histogram === undefined) return
      const steps: Step[] = []
      let below = 0
      histogram.bounds.forEach((bound, i) => {
        below += histogram.counts[i] as number
        steps.push([bound / unit, below])
      })
      sink.histogram(row.labels, steps, histogram.sum / unit, below + (histogram.counts.at(-1) as number))
    },
  }
}
