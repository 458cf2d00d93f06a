/** How often, and how long in all. */
export interface StatisticDuration {
  readonly count: number
  /** Nanoseconds. */
  readonly ns: number
}

/**
 * What was counted of the responses at one place: 0 the first of a request, 1 the second, and so on. Kept for decoupled
 * models.
 */
export interface ResponseStatistics {
  /** From the end of the response before it, or the start of the execution, until its outputs were there. */
  readonly computeInfer: StatisticDuration
  /** From then on until it was sent. */
  readonly computeOutput: StatisticDuration
  readonly success: StatisticDuration
  /** The request ended with an error here. */
  readonly fail: StatisticDuration
  /** The request ended without any response. */
  readonly emptyResponse: StatisticDuration
  /** The caller gave up here; the time is what the backend took to notice. */
  readonly cancel: StatisticDuration
}

/** Memory that a model holds at one place. */
export interface MemoryUsage {
  readonly type: 'CPU' | 'CPU_PINNED' | 'GPU'
  /** The GPU, or the NUMA node; 0 without. */
  readonly id: number
  readonly byteSize: number
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
  /** By the place of a response among those of its request, `'0'` the first; empty for a model that is not decoupled. */
  readonly responseStats: Readonly<Record<string, ResponseStatistics>>
  readonly batchStats: readonly {
    readonly batchSize: number
    readonly computeInput: StatisticDuration
    readonly computeInfer: StatisticDuration
    readonly computeOutput: StatisticDuration
  }[]
  /** What its backend tells, CPU before GPU, lower ids first. */
  readonly memoryUsage: readonly MemoryUsage[]
}
