import type { DynamicBatching } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import type { InstancePool } from '../instance/instance-pool.ts'
import type { ModelInstance } from '../instance/model-instance.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import type { Clock } from '../util/clock.ts'
import type { BatchKey } from './batch-key.ts'
import { type BatchDecision, type DynamicRule, decideBatch } from './batch-policy.ts'
import type { BatchRules } from './batch-rules.ts'
import type { BatchWatch } from './batch-watch.ts'
import { afterDeadline } from './deadline-heap.ts'
import type { QueueEntry } from './queue-entry.ts'
import { RequestQueue } from './request-queue.ts'
import type { Scheduler } from './scheduler.ts'
import { WakeUp } from './wake-up.ts'

export interface DynamicBatchParts {
  readonly batching: DynamicBatching
  readonly rules: BatchRules
  readonly batchKey: BatchKey
  readonly pool: InstancePool
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly watch?: BatchWatch | undefined
}

/**
 * Triton's dynamic batcher. A batch is formed only when an instance is idle, so while all are busy requests gather.
 * It acts when a request comes or leaves, when an instance becomes idle, and on its one timer.
 */
export class DynamicBatchScheduler implements Scheduler {
  readonly #rules: BatchRules
  readonly #batchKey: BatchKey
  readonly #pool: InstancePool
  readonly #stats: InferenceStats
  readonly #clock: Clock
  readonly #queue: RequestQueue
  readonly #wakeUp: WakeUp
  /** The key of all that waits, while an idle instance waits for a larger batch. */
  #growingKey: string | undefined
  #dispatching = false
  #watch: BatchWatch | undefined

  constructor({ batching, rules, batchKey, pool, stats, clock, watch }: DynamicBatchParts) {
    this.#rules = rules
    this.#batchKey = batchKey
    this.#pool = pool
    this.#stats = stats
    this.#clock = clock
    this.#watch = watch
    this.#queue = new RequestQueue(batching)
    this.#wakeUp = new WakeUp(clock, () => this.#dispatch())
    pool.onIdle(() => this.#dispatch())
  }

  enqueue(request: InferenceRequest): void {
    const entry = this.#queue.add(request, this.#batchKey(request.inputs))
    this.#stats.pending++
    this.#watch?.noteQueued()
    if (this.#isTooFew(entry)) this.#setWakeUp()
    else this.#dispatch()
  }

  withdraw(request: InferenceRequest): boolean {
    if (!this.#queue.remove(request)) return false
    this.#stats.pending--
    this.#dispatch()
    return true
  }

  rejectWaiting(reject: (request: InferenceRequest) => void): void {
    for (let request = this.#queue.shift(); request !== undefined; request = this.#queue.shift()) {
      this.#stats.pending--
      reject(request)
    }
    this.#growingKey = undefined
    this.#wakeUp.cancel()
    this.#pool.waive()
  }

  addInstance(instance: ModelInstance): void {
    this.#pool.add(instance)
  }

  removeInstance(instance: ModelInstance): Promise<void> {
    return this.#pool.remove(instance)
  }

  /** Whether the policy was asked before and this request cannot change its answer. It saves a walk for each request. */
  #isTooFew(entry: QueueEntry): boolean {
    const { smallestPreferred, include } = this.#rules
    return this.#growingKey === entry.batchKey && this.#queue.items < smallestPreferred && include === undefined
  }

  /** A loop, not recursion: an inline backend becomes idle again inside `run`. */
  #dispatch(): void {
    if (this.#dispatching) return
    this.#dispatching = true
    try {
      let decision = this.#decide()
      while (decision.action === 'send' && this.#send(decision.count, decision.rule)) decision = this.#decide()
      const until = decision.action === 'wait' ? decision.until : undefined
      this.#growingKey = until === undefined ? undefined : this.#queue.first()?.batchKey
      this.#setWakeUp(until)
    } finally {
      this.#dispatching = false
    }
    if (this.#growingKey !== undefined || this.#queue.length === 0) this.#pool.waive()
  }

  #decide(): BatchDecision {
    const { length, deadlineBound } = this.#queue
    if (length === 0 || (!this.#pool.hasIdle && deadlineBound === Number.POSITIVE_INFINITY)) return { action: 'idle' }
    const now = this.#clock.now()
    this.#rejectExpired(now)
    return this.#pool.hasIdle ? decideBatch(this.#queue, this.#rules, now) : { action: 'idle' }
  }

  /** False when the instance has to wait for its turn; the batch is then decided anew, and may have grown. */
  #send(count: number, rule: DynamicRule): boolean {
    const instance = this.#pool.acquire()
    if (instance === undefined) return false
    const requests: InferenceRequest[] = []
    for (let i = 0; i < count; i++) {
      requests.push(this.#queue.shift() as InferenceRequest)
    }
    this.#stats.pending -= requests.length
    const watch = this.#watch
    if (watch?.noteSent(count, rule, this.#queue.length) === false) this.#watch = undefined
    instance.run(requests, rule, () => {
      watch?.noteDone()
      this.#pool.release(instance)
    })
    return true
  }

  #rejectExpired(now: number): void {
    for (;;) {
      const request = this.#queue.shiftExpired(now)
      if (request === undefined) return
      this.#stats.pending--
      request.reject(new TritonError('UNAVAILABLE', 'Request timeout expired'), 'REJECTED')
    }
  }

  #setWakeUp(until = Number.POSITIVE_INFINITY): void {
    if (this.#queue.length === 0) {
      this.#wakeUp.cancel()
      return
    }
    this.#wakeUp.by(until)
    if (this.#queue.deadlineBound + afterDeadline < this.#wakeUp.at) {
      this.#wakeUp.by(this.#queue.earliestDeadline + afterDeadline)
    }
  }
}
