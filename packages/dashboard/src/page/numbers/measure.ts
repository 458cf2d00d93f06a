import type { LiveHistogram, LiveModel, LiveSnapshot, LiveStages } from '../../live-snapshot.ts'
import { histogramSince, mergeHistograms, percentile } from './percentile.ts'

/** What happened in a stretch of time. */
export interface Activity {
  /** Requests per second. */
  readonly throughput: number
  readonly failures: number
  /** Responses per second of decoupled models. */
  readonly responses: number
  /** Seconds; undefined where nothing was answered. */
  readonly p50: number | undefined
  readonly p99: number | undefined
  /** Items in an execution; undefined where nothing ran. */
  readonly meanBatch: number | undefined
  /** Now. */
  readonly pending: number
  readonly inflight: number
  /** Of this stretch alone. */
  readonly latency: LiveHistogram
  readonly batchSize: LiveHistogram
  readonly stages: LiveStages
}

/** Tells a version that was loaded anew, whose counters begin at 0, from one that went on. */
const goesOn = (now: LiveModel, before: LiveModel): boolean =>
  now.successes >= before.successes && now.failures >= before.failures && now.executions >= before.executions

/** @param seconds between the two. */
export function activityOf(now: LiveModel, earlier: LiveModel | undefined, seconds: number): Activity {
  const before = earlier !== undefined && goesOn(now, earlier) ? earlier : undefined
  const latency = histogramSince(now.latency, before?.latency)
  const since = (counter: 'successes' | 'failures' | 'items' | 'executions' | 'responses'): number =>
    now[counter] - (before?.[counter] ?? 0)
  const spent = (stage: keyof LiveStages): number => now.stages[stage] - (before?.stages[stage] ?? 0)
  const executions = since('executions')
  return {
    throughput: (since('successes') + since('failures')) / seconds,
    failures: since('failures') / seconds,
    responses: since('responses') / seconds,
    p50: percentile(latency, 0.5),
    p99: percentile(latency, 0.99),
    meanBatch: executions > 0 ? since('items') / executions : undefined,
    pending: now.pending,
    inflight: now.inflight,
    latency,
    batchSize: histogramSince(now.batchSize, before?.batchSize),
    stages: { queue: spent('queue'), input: spent('input'), compute: spent('compute'), output: spent('output') },
  }
}

/** Several models as one. */
export function together(activities: readonly Activity[]): Activity {
  const sum = (of: (activity: Activity) => number): number => activities.reduce((sum, one) => sum + of(one), 0)
  const latency = mergeHistograms(activities.map((one) => one.latency))
  return {
    throughput: sum((one) => one.throughput),
    failures: sum((one) => one.failures),
    responses: sum((one) => one.responses),
    p50: percentile(latency, 0.5),
    p99: percentile(latency, 0.99),
    meanBatch: undefined,
    pending: sum((one) => one.pending),
    inflight: sum((one) => one.inflight),
    latency,
    batchSize: mergeHistograms(activities.map((one) => one.batchSize)),
    stages: {
      queue: sum((one) => one.stages.queue),
      input: sum((one) => one.stages.input),
      compute: sum((one) => one.stages.compute),
      output: sum((one) => one.stages.output),
    },
  }
}

/** Tells versions apart, also those of one name in several repositories. */
export const versionKey = ({ namespace, name, version }: LiveModel): string =>
  JSON.stringify([namespace, name, version])

/** The activity of every version from one snapshot to a later one. A version that is new began at 0 then. */
export function activities(now: LiveSnapshot, before: LiveSnapshot): Map<string, Activity> {
  const seconds = (now.time - before.time) / 1000
  const earlier = new Map(before.models.map((model) => [versionKey(model), model]))
  return new Map(
    now.models.map((model) => {
      const key = versionKey(model)
      return [key, activityOf(model, earlier.get(key), seconds)]
    }),
  )
}
