import { readFile } from 'node:fs/promises'
import type { Clock, Timer } from '../util/clock.ts'
import { withDeadline } from '../util/deadline.ts'
import type { Logger } from '../util/logger.ts'
import { type CpuTimes, cpuTimes, cpuUtilization, memoryOf } from './cpu-reading.ts'
import type { Gpu, GpuMetrics, GpuReading } from './gpu-metrics.ts'

/** Milliseconds; a driver that is loaded for it takes two or three seconds. */
const findTimeout = 10_000

export interface HostPollerParts {
  readonly cpu: boolean
  readonly gpu: GpuMetrics | undefined
  /** Milliseconds. */
  readonly interval: number
  /** Its timers must not keep the process alive. */
  readonly clock: Clock
  readonly logger: Logger
  /** Where Linux tells of the machine; for tests. Default `/proc`. */
  readonly proc?: string | undefined
}

/** What the processors and the memory of the machine did lately. */
export interface CpuReading {
  /** 0 to 1. */
  readonly utilization: number
  /** Bytes. */
  readonly memoryTotal: number
  /** Bytes. */
  readonly memoryUsed: number
}

/** A GPU with what it told last. */
export interface GpuState extends Gpu {
  readonly reading: GpuReading | undefined
  /** Joules that it used since the Server started. */
  readonly energy: number
}

/** Looks at processors, memory and GPUs again and again, from `start` to `stop`. */
export class HostPoller {
  readonly #parts: HostPollerParts
  #times: CpuTimes | undefined
  #cpu: CpuReading | undefined
  #gpus: readonly GpuState[] = []
  #timer: Timer | undefined
  #isStopped = false
  #hasComplained = false

  constructor(parts: HostPollerParts) {
    this.#parts = parts
  }

  /** Undefined until it was looked at, and where it is not. */
  get cpu(): CpuReading | undefined {
    return this.#cpu
  }

  get gpus(): readonly GpuState[] {
    return this.#gpus
  }

  /** The UUID of a GPU that models may use. */
  gpuUuid(id: number): string | undefined {
    return this.#gpus.find((gpu) => gpu.id === id)?.uuid
  }

  /** Resolves when GPUs are known; those that cannot be found are logged and have no metrics. */
  async start(): Promise<void> {
    const { gpu, cpu, logger } = this.#parts
    if (gpu !== undefined) {
      try {
        this.#gpus = (await this.#find(gpu)).map((one) => ({ ...one, reading: undefined, energy: 0 }))
        for (const { id, name } of this.#gpus) logger.info({ gpu: id }, `Collecting metrics for GPU ${id}: ${name}`)
      } catch (error) {
        logger.info({}, `GPU metrics will not be available: ${error instanceof Error ? error.message : error}`)
      }
    }
    if (cpu || this.#gpus.length > 0) void this.#poll()
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  /** A driver that hangs must not keep the Server from starting. */
  async #find(gpu: GpuMetrics): Promise<readonly Gpu[]> {
    let gpus: readonly Gpu[] = []
    const opening = gpu.open().then((found) => {
      gpus = found
    })
    if (await withDeadline(opening, findTimeout, this.#parts.clock)) return gpus
    throw new Error(`they were not found within ${findTimeout / 1000} seconds`)
  }

  async #poll(): Promise<void> {
    try {
      await Promise.all([this.#lookAtCpu(), this.#lookAtGpus()])
      this.#hasComplained = false
    } catch (err) {
      if (!this.#hasComplained) this.#parts.logger.warn({ err }, 'the metrics of this machine cannot be read')
      this.#hasComplained = true
    }
    if (!this.#isStopped) this.#timer = this.#parts.clock.schedule(() => void this.#poll(), this.#parts.interval)
  }

  async #lookAtCpu(): Promise<void> {
    const { cpu, proc = '/proc' } = this.#parts
    if (!cpu) return
    const [stat, meminfo] = await Promise.all(['stat', 'meminfo'].map((name) => readFile(`${proc}/${name}`, 'latin1')))
    const times = cpuTimes(stat ?? '')
    const memory = memoryOf(meminfo ?? '')
    const utilization = this.#times === undefined || times === undefined ? 0 : cpuUtilization(this.#times, times)
    this.#times = times
    this.#cpu = { utilization, memoryTotal: memory?.total ?? 0, memoryUsed: memory?.used ?? 0 }
  }

  async #lookAtGpus(): Promise<void> {
    const { gpu } = this.#parts
    if (gpu === undefined || this.#gpus.length === 0) return
    const readings = await gpu.read()
    this.#gpus = this.#gpus.map((state, i) => {
      const reading = readings[i]
      const used = (reading?.energy ?? 0) - (state.reading?.energy ?? reading?.energy ?? 0)
      return { ...state, reading, energy: state.energy + Math.max(0, used) }
    })
  }
}
