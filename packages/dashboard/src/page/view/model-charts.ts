import type { Point } from '../data/history.ts'
import { element } from '../dom.ts'
import { formatNumber, formatSeconds } from '../numbers/format.ts'
import type { Activity } from '../numbers/measure.ts'
import { type Bar, Bars } from './bars.ts'
import { LineChart } from './line-chart.ts'

type Value = (activity: Activity) => number | undefined

interface Drawn {
  readonly chart: LineChart
  readonly values: readonly Value[]
}

const chart = (
  title: string,
  format: (value: number | undefined) => string,
  lines: Readonly<Record<string, Value>>,
): Drawn => ({ chart: new LineChart(title, Object.keys(lines), format), values: Object.values(lines) })

/** What a version does over time, and what its batches and its time are made of. */
export class ModelCharts {
  readonly root: HTMLElement
  readonly #charts: readonly Drawn[]
  readonly #batches = new Bars('Batch sizes, last seconds', 'Nothing ran.')
  readonly #stages = new Bars('Where the time went, last seconds', 'Nothing was answered.')

  constructor(isDecoupled: boolean) {
    this.#charts = [
      chart('Throughput, 1/s', formatNumber, {
        requests: ({ throughput }) => throughput,
        ...(isDecoupled ? { responses: ({ responses }) => responses } : { failures: ({ failures }) => failures }),
      }),
      chart('Latency', formatSeconds, { p50: ({ p50 }) => p50, p99: ({ p99 }) => p99 }),
      chart('Queue', formatNumber, { waiting: ({ pending }) => pending, 'in flight': ({ inflight }) => inflight }),
      chart('Batch size', formatNumber, { mean: ({ meanBatch }) => meanBatch }),
    ]
    const figures = this.#charts.map((drawn) => drawn.chart.root)
    this.root = element('div', { class: 'charts' }, ...figures, this.#batches.root, this.#stages.root)
  }

  show(points: readonly Point[]): void {
    const times = points.map(({ time }) => time)
    for (const { chart, values } of this.#charts) {
      const line = (value: Value) => points.map(({ activity }) => (activity && value(activity)) ?? null)
      chart.show(times, values.map(line))
    }
    const activity = points.at(-1)?.activity
    this.#batches.show(activity === undefined ? [] : batchBars(activity))
    this.#stages.show(activity === undefined ? [] : stageBars(activity))
  }
}

function batchBars({ batchSize: { bounds, counts } }: Activity): Bar[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  return counts.flatMap((count, i) => (count === 0 ? [] : [{ label: sizeText(bounds, i), share: count / total }]))
}

/** `3`, or `5–8` where a bucket has several sizes. */
function sizeText(bounds: readonly number[], i: number): string {
  const lowest = (bounds[i - 1] ?? 0) + 1
  const highest = bounds[i]
  if (highest === undefined) return `${lowest}+`
  return lowest === highest ? String(highest) : `${lowest}–${highest}`
}

function stageBars({ stages }: Activity): Bar[] {
  const total = stages.queue + stages.input + stages.compute + stages.output
  const bar = (label: string, seconds: number): Bar => ({ label, share: seconds / total })
  return total <= 0
    ? []
    : [
        bar('queue', stages.queue),
        bar('input', stages.input),
        bar('compute', stages.compute),
        bar('output', stages.output),
      ]
}
