import type { InstancePool } from '../instance/instance-pool.ts'
import type { ModelInstance } from '../instance/model-instance.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import { RingBuffer } from '../util/ring-buffer.ts'
import type { Scheduler } from './scheduler.ts'

/** Triton's scheduler for a model without a scheduling choice: each request alone, in order of arrival, on any idle instance. */
export class DefaultScheduler implements Scheduler {
  readonly #pool: InstancePool
  readonly #stats: InferenceStats
  readonly #queue = new RingBuffer<InferenceRequest>()
  #dispatching = false

  constructor(pool: InstancePool, stats: InferenceStats) {
    this.#pool = pool
    this.#stats = stats
    pool.onIdle(() => this.#dispatch())
  }

  enqueue(request: InferenceRequest): void {
    this.#queue.push(request)
    this.#stats.pending++
    this.#dispatch()
  }

  withdraw(request: InferenceRequest): boolean {
    const removed = this.#queue.remove(request)
    if (removed) this.#stats.pending--
    if (this.#queue.length === 0) this.#pool.waive()
    return removed
  }

  rejectWaiting(reject: (request: InferenceRequest) => void): void {
    for (let request = this.#queue.shift(); request !== undefined; request = this.#queue.shift()) {
      this.#stats.pending--
      reject(request)
    }
    this.#pool.waive()
  }

  addInstance(instance: ModelInstance): void {
    this.#pool.add(instance)
  }

  removeInstance(instance: ModelInstance): Promise<void> {
    return this.#pool.remove(instance)
  }

  /** A loop, not recursion: an inline backend becomes idle again inside `run`. */
  #dispatch(): void {
    if (this.#dispatching) return
    this.#dispatching = true
    try {
      this.#fillInstances()
    } finally {
      this.#dispatching = false
    }
    if (this.#queue.length === 0) this.#pool.waive()
  }

  #fillInstances(): void {
    while (this.#queue.length > 0) {
      const instance = this.#pool.acquire()
      if (instance === undefined) break
      const request = this.#queue.shift() as InferenceRequest
      this.#stats.pending--
      instance.run([request], 'instance free', () => this.#pool.release(instance))
    }
  }
}
