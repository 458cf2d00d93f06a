import type { ComputeDurations } from '../backend/execution-marks.ts'
import { BatchStats } from './batch-stats.ts'
import { LatencyMetrics, type LatencySettings } from './latency-metrics.ts'
import { RequestHistograms } from './request-histograms.ts'
import { ResponseStats } from './response-stats.ts'

/** Why a request failed, as the label `reason` of `nv_inference_request_failure` has it. */
export const failureReasons = ['REJECTED', 'CANCELED', 'BACKEND', 'OTHER'] as const

export type FailureReason = (typeof failureReasons)[number]

/** Times of one request that the cache answered, in milliseconds, from a monotonic clock. */
export interface CacheHitTimes {
  readonly start: number
  readonly lookupStart: number
  readonly lookupEnd: number
  readonly end: number
}

/**
 * Counters of one model version. They count as Triton does: requests that never reached the scheduler are not counted,
 * and every request of a batch has the whole batch's compute time. Times are kept in milliseconds.
 */
export class InferenceStats {
  success = 0
  successTime = 0
  failures: Record<FailureReason, number> = { REJECTED: 0, CANCELED: 0, BACKEND: 0, OTHER: 0 }
  failTime = 0
  queueTime = 0
  computeInputTime = 0
  computeInferTime = 0
  computeOutputTime = 0
  inferenceCount = 0
  executionCount = 0
  cacheHits = 0
  cacheHitTime = 0
  cacheMisses = 0
  cacheMissTime = 0
  lastInference = 0
  /** Requests that wait for an instance. */
  pending = 0
  /** Responses of a decoupled model. */
  responseCount = 0
  /** Of a decoupled model. */
  readonly responses: ResponseStats
  readonly latency: LatencyMetrics
  readonly #settings: LatencySettings | undefined
  readonly #whole: InferenceStats | undefined
  #devices: Map<string, InferenceStats> | undefined
  readonly #batches = new Map<number, BatchStats>()
  /** Of a version that had no request there are none: most of thousands of models are idle. */
  #histograms: RequestHistograms | undefined

  /** @param whole counts all that this counts, too. */
  constructor(settings?: LatencySettings, whole?: InferenceStats) {
    this.latency = new LatencyMetrics(settings)
    this.responses = whole?.responses ?? new ResponseStats()
    this.#settings = settings
    this.#whole = whole
  }

  /** The part that ran on one GPU; it is counted here, too, but for Triton's summaries. */
  onDevice(uuid: string): InferenceStats {
    this.#devices ??= new Map()
    const known = this.#devices.get(uuid)
    if (known !== undefined) return known
    const device = new InferenceStats(this.#settings, this)
    this.#devices.set(uuid, device)
    return device
  }

  /** What ran on GPUs, by their UUIDs. */
  get devices(): ReadonlyMap<string, InferenceStats> | undefined {
    return this.#devices
  }

  /** Executions by their batch size. */
  get batches(): ReadonlyMap<number, BatchStats> {
    return this.#batches
  }

  /** Undefined before the first request. */
  get histograms(): RequestHistograms | undefined {
    return this.#histograms
  }

  /** @param duration of the request, its time in the queue too. */
  recordSuccess(duration: number, queue: number, compute: ComputeDurations, batchSize: number): void {
    this.latency.summaries?.success(duration, queue, compute)
    if (this.#whole !== undefined) this.#whole.#countSuccess(duration, queue, compute, batchSize)
    this.#countSuccess(duration, queue, compute, batchSize)
  }

  #countSuccess(duration: number, queue: number, compute: ComputeDurations, batchSize: number): void {
    this.success++
    this.successTime += duration
    this.queueTime += queue
    this.#addCompute(compute)
    this.inferenceCount += Math.max(1, batchSize)
    this.#made().success(duration, queue)
  }

  /** A hit is a success that neither waited for an instance nor ran. */
  recordCacheHit({ start, lookupStart, lookupEnd, end }: CacheHitTimes): void {
    this.latency.summaries?.hit(lookupStart - start, lookupEnd - lookupStart)
    this.#made().success(end - start, lookupStart - start)
    this.success++
    this.successTime += end - start
    this.queueTime += lookupStart - start
    this.cacheHits++
    this.cacheHitTime += lookupEnd - lookupStart
  }

  /**
   * After `recordSuccess`, when the response is in the cache.
   * @param duration of lookup and insert. As in Triton it is added to the request's time, which has the lookup already.
   */
  recordCacheMiss(duration: number): void {
    this.successTime += duration
    this.cacheMisses++
    this.cacheMissTime += duration
    this.latency.summaries?.miss(duration)
  }

  recordFailure(reason: FailureReason, duration: number): void {
    this.#whole?.recordFailure(reason, duration)
    this.failures[reason]++
    this.failTime += duration
  }

  /** After `recordSuccess` and `recordExecution` of an ensemble, when a step tells only then what it took. */
  addCompute(compute: ComputeDurations, batchSize: number): void {
    this.#addCompute(compute)
    this.#batches.get(batchSize)?.add(compute)
  }

  /** Once for each batch that has a successful request, or that its backend reports. */
  recordExecution(compute: ComputeDurations, batchSize: number, wallTime: number): void {
    if (this.#whole !== undefined) this.#whole.#countExecution(compute, batchSize, wallTime)
    this.#countExecution(compute, batchSize, wallTime)
  }

  #countExecution(compute: ComputeDurations, batchSize: number, wallTime: number): void {
    this.executionCount++
    this.lastInference = Math.round(wallTime)
    let batch = this.#batches.get(batchSize)
    if (batch === undefined) {
      batch = new BatchStats()
      this.#batches.set(batchSize, batch)
    }
    batch.count++
    batch.add(compute)
    this.#made().executed(compute.computeInput + compute.computeInfer + compute.computeOutput)
  }

  #made(): RequestHistograms {
    this.#histograms ??= new RequestHistograms()
    return this.#histograms
  }

  #addCompute({ computeInput, computeInfer, computeOutput }: ComputeDurations): void {
    this.computeInputTime += computeInput
    this.computeInferTime += computeInfer
    this.computeOutputTime += computeOutput
  }

  get failed(): number {
    return this.failures.REJECTED + this.failures.CANCELED + this.failures.BACKEND + this.failures.OTHER
  }
}
