import type { ServerState } from '../server-events.ts'
import type { ModelStatistics } from './model-statistics.ts'

/** What a Server does now, for dashboards: the numbers behind the metrics as objects. */
export interface ServerSnapshot {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly state: ServerState
  /** Every version that serves, by model and then version. */
  readonly models: readonly ModelSnapshot[]
  /** Seconds that the event loop was late during the last metrics interval; undefined before it was measured. */
  readonly eventLoopDelay: EventLoopDelaySnapshot | undefined
}

/** One model version that serves. */
export interface ModelSnapshot {
  readonly name: string
  /** The path of its repository where names are told apart by that; else ''. */
  readonly namespace: string
  readonly version: number
  /** Whether its responses come one by one. */
  readonly isDecoupled: boolean
  readonly isEnsemble: boolean
  /** Requests that wait for an instance. */
  readonly pending: number
  /** Requests that are not done with, those that wait among them. */
  readonly inflight: number
  /** Those that take requests; an ensemble has none. */
  readonly instances: { readonly busy: number; readonly total: number }
  /** 0 idle to 1 as much work as it can do, see `triton_ts_saturation`; undefined for an ensemble. */
  readonly saturation: number | undefined
  /** Responses of a decoupled model so far; 0 for others. */
  readonly responseCount: number
  /** Seconds that its load took. */
  readonly loadDuration: number
  readonly statistics: ModelStatistics
  /** Seconds from the arrival of a request to its answer; of a success. */
  readonly requestDuration: HistogramSnapshot
  /** Seconds that requests waited. */
  readonly queueDuration: HistogramSnapshot
  /** Seconds that the execution took of which a request was part. */
  readonly computeDuration: HistogramSnapshot
  /** Items of each execution. */
  readonly batchSize: HistogramSnapshot
  /** Seconds from the arrival to the first response; of a decoupled model, else empty. */
  readonly firstResponse: HistogramSnapshot
}

/** Observations since the version was loaded. */
export interface HistogramSnapshot {
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[]
  /** How many observations were above the bound before and not above this one; the last counts those above all bounds. */
  readonly counts: readonly number[]
  readonly sum: number
}

export interface EventLoopDelaySnapshot {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}
