import type { ModelInstance } from '../instance/model-instance.ts'
import type { Clock } from '../util/clock.ts'
import type { InferenceStats } from './inference-stats.ts'

/** What a version is, as far as its load needs it. */
export interface LoadedVersion {
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly config: { readonly maxBatchSize: number }
  /** Passive ones, which take no requests, among them. */
  readonly instances: readonly ModelInstance[]
}

/** How many metrics intervals a mean reaches back: what was that long ago weighs 1/e. */
const memory = 5

/**
 * How much a model version has to do compared with what it can, and how fast it responds: means whose weights decay with
 * age. It looks when it is asked, so that idle models cost nothing. Each look takes in all the time since the one before,
 * so that several who ask, each at their own pace, miss nothing of what was between.
 *
 *     saturation = min(1, (busy + waiting) / instances)
 *
 * `busy` is the mean number of instances that ran something, `waiting` the mean number of full batches that waited:
 * pending requests, half at the beginning and half at the end, divided by `max_batch_size`. Below 1 there is room; at 1
 * all instances are busy all the time, or the queue has as much work as there is room for.
 */
export class LoadMeter {
  readonly #version: LoadedVersion
  readonly #interval: number
  #since: number
  #busyTime: number
  #pending: number
  #responses: number
  #saturation = 0
  #responseRate = 0

  /** @param interval least milliseconds between two looks. */
  constructor(version: LoadedVersion, interval: number) {
    this.#version = version
    this.#interval = interval
    this.#since = version.clock.now()
    this.#busyTime = this.#busySoFar(this.#since)
    this.#pending = version.stats.pending
    this.#responses = version.stats.responseCount
  }

  /** 0 to 1. */
  get saturation(): number {
    this.#look()
    return this.#saturation
  }

  /** Responses of a decoupled model in a second. */
  get responseRate(): number {
    this.#look()
    return this.#responseRate
  }

  /** Instances that take requests. */
  get instances(): { readonly busy: number; readonly total: number } {
    const active = this.#active
    return { busy: active.filter(({ running }) => running !== undefined).length, total: active.length }
  }

  get #active(): readonly ModelInstance[] {
    return this.#version.instances.filter(({ isPassive }) => !isPassive)
  }

  #look(): void {
    const { stats, clock, config } = this.#version
    const now = clock.now()
    const passed = now - this.#since
    if (passed <= 0 || passed < this.#interval) return
    const busyTime = this.#busySoFar(now)
    const waiting = (this.#pending + stats.pending) / 2 / Math.max(1, config.maxBatchSize)
    // Instances that went took their time along.
    const busy = Math.max(0, busyTime - this.#busyTime) / passed
    const saturation = Math.min(1, (busy + waiting) / Math.max(1, this.#active.length))
    const responseRate = ((stats.responseCount - this.#responses) / passed) * 1000
    const weight = 1 - Math.exp(-passed / (memory * this.#interval))
    this.#saturation += weight * (saturation - this.#saturation)
    this.#responseRate += weight * (responseRate - this.#responseRate)
    this.#since = now
    this.#busyTime = busyTime
    this.#pending = stats.pending
    this.#responses = stats.responseCount
  }

  #busySoFar(now: number): number {
    return this.#active.reduce((sum, instance) => sum + instance.busyTime(now), 0)
  }
}
