/** How often, and how long in all. */
export interface StatisticDuration {
  readonly count: number
  /** Nanoseconds. */
  readonly ns: number
}

/** Statistics of one model version, in the form of Triton's statistics extension. */
export interface ModelStatistics {
  readonly name: string
  readonly version: string
  /** Milliseconds since 1970 of the last executed batch; 0 before the first. */
  readonly last_inference: number
  readonly inference_count: number
  readonly execution_count: number
  readonly inference_stats: {
    readonly success: StatisticDuration
    readonly fail: StatisticDuration
    readonly queue: StatisticDuration
    readonly compute_input: StatisticDuration
    readonly compute_infer: StatisticDuration
    readonly compute_output: StatisticDuration
    readonly cache_hit: StatisticDuration
    readonly cache_miss: StatisticDuration
  }
  readonly response_stats: Readonly<Record<string, never>>
  readonly batch_stats: readonly {
    readonly batch_size: number
    readonly compute_input: StatisticDuration
    readonly compute_infer: StatisticDuration
    readonly compute_output: StatisticDuration
  }[]
  readonly memory_usage: readonly { readonly type: string; readonly id: number; readonly byte_size: number }[]
}
