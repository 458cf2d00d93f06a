/** What tells how GPUs do: `nvml()` of `@triton-ts/backend-native`. */
export interface GpuMetrics {
  /**
   * Finds the GPUs of this machine.
   * @throws Error with the reason why there are none.
   */
  open(): Promise<readonly Gpu[]>
  /** Asks all of them, in the order of `open`, off the event loop. */
  read(): Promise<readonly GpuReading[]>
}

export interface Gpu {
  /** As in `gpus` of the Server. */
  readonly id: number
  /** `GPU-` and a UUID. */
  readonly uuid: string
  readonly name: string
}

/** What one GPU tells; undefined for what it does not tell. */
export interface GpuReading {
  /** 0 to 1. */
  readonly utilization?: number | undefined
  /** Bytes. */
  readonly memoryTotal?: number | undefined
  /** Bytes. */
  readonly memoryUsed?: number | undefined
  /** Watts. */
  readonly powerUsage?: number | undefined
  /** Watts. */
  readonly powerLimit?: number | undefined
  /** Joules since the driver was loaded. */
  readonly energy?: number | undefined
}
