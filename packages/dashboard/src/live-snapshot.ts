/** What the page is told each second: of a Server what it shows, and no more. */
export interface LiveSnapshot {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly state: string
  /** Every version that serves, by model and then version. */
  readonly models: readonly LiveModel[]
  /** Seconds that the event loop was late lately; absent before it was measured. */
  readonly eventLoopDelay?: { readonly p50: number; readonly p99: number; readonly max: number } | undefined
}

/** One model version that serves. What is counted is counted since its load. */
export interface LiveModel {
  readonly name: string
  /** The path of its repository where names are told apart by that; else ''. */
  readonly namespace: string
  readonly version: number
  readonly isDecoupled: boolean
  readonly isEnsemble: boolean
  /** Seconds. */
  readonly loadDuration: number
  readonly pending: number
  readonly inflight: number
  readonly busy: number
  /** Instances; 0 for an ensemble. */
  readonly instances: number
  /** 0 idle to 1 as much as it can do; absent for an ensemble. */
  readonly saturation?: number | undefined
  readonly successes: number
  readonly failures: number
  /** Items of all requests that ran. */
  readonly items: number
  readonly executions: number
  readonly responses: number
  /** Seconds, all requests together. */
  readonly stages: LiveStages
  /** Seconds from the arrival of a request to its answer. */
  readonly latency: LiveHistogram
  /** Items of each execution. */
  readonly batchSize: LiveHistogram
}

/** Where the time of requests went. */
export interface LiveStages {
  readonly queue: number
  readonly input: number
  readonly compute: number
  readonly output: number
}

export interface LiveHistogram {
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[]
  /** Between the bounds; the last counts what is above all. */
  readonly counts: readonly number[]
}
