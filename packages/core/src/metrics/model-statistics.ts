/** How often, and how long in all. */
export interface StatisticDuration {
  readonly count: number
  /** Nanoseconds. */
  readonly ns: number
}

/** Statistics of one model version, with the names of Triton's statistics extension. */
export interface ModelStatistics {
  readonly name: string
  readonly version: string
  /** Milliseconds since 1970 of the last executed batch; 0 before the first. */
  readonly lastInference: number
  readonly inferenceCount: number
  readonly executionCount: number
  readonly inferenceStats: {
    readonly success: StatisticDuration
    readonly fail: StatisticDuration
    readonly queue: StatisticDuration
    readonly computeInput: StatisticDuration
    readonly computeInfer: StatisticDuration
    readonly computeOutput: StatisticDuration
    readonly cacheHit: StatisticDuration
    readonly cacheMiss: StatisticDuration
  }
  readonly responseStats: Readonly<Record<string, never>>
  readonly batchStats: readonly {
    readonly batchSize: number
    readonly computeInput: StatisticDuration
    readonly computeInfer: StatisticDuration
    readonly computeOutput: StatisticDuration
  }[]
  readonly memoryUsage: readonly { readonly type: string; readonly id: number; readonly byteSize: number }[]
}
