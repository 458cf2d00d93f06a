import { TritonError } from '../errors.ts'
import type { ModelInstance } from '../instance/model-instance.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import type { Outputs } from '../response/inference-response.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { WakeUp } from '../scheduler/wake-up.ts'
import type { Clock } from '../util/clock.ts'
import { LinkedList } from '../util/linked-list.ts'
import { CacheLookup } from './cache-lookup.ts'
import type { ModelCache } from './model-cache.ts'

/**
 * Answers requests from the cache; those that it cannot answer go to another scheduler, and their responses into the
 * cache. Two like requests at the same time both run.
 */
export class CachingScheduler implements Scheduler {
  readonly #inner: Scheduler
  readonly #cache: ModelCache
  readonly #stats: InferenceStats
  readonly #clock: Clock
  /** Those that wait for a cache which does not answer at once, the oldest first. */
  readonly #waiting = new LinkedList<CacheLookup>()
  readonly #wakeUp: WakeUp

  constructor(inner: Scheduler, cache: ModelCache, stats: InferenceStats, clock: Clock) {
    this.#inner = inner
    this.#cache = cache
    this.#stats = stats
    this.#clock = clock
    this.#wakeUp = new WakeUp(clock, () => this.#giveUpSlow())
  }

  enqueue(request: InferenceRequest): void {
    const key = this.#cache.keyOf(request)
    const lookup = new CacheLookup(request, key, this.#clock.now())
    const found = this.#cache.lookup(key, lookup)
    if (found === undefined || found instanceof Uint8Array) this.#proceed(lookup, found)
    else this.#waitFor(lookup, found)
  }

  withdraw(request: InferenceRequest): boolean {
    const { queuePlace: lookup } = request
    if (!(lookup instanceof CacheLookup)) return this.#inner.withdraw(request)
    this.#leave(lookup)
    lookup.abort()
    return true
  }

  rejectWaiting(reject: (request: InferenceRequest) => void): void {
    for (let lookup = this.#waiting.first; lookup !== undefined; lookup = this.#waiting.first) {
      this.#leave(lookup)
      lookup.abort()
      reject(lookup.request)
    }
    this.#inner.rejectWaiting(reject)
  }

  addInstance(instance: ModelInstance): void {
    this.#inner.addInstance(instance)
  }

  removeInstance(instance: ModelInstance): Promise<void> {
    return this.#inner.removeInstance(instance)
  }

  #waitFor(lookup: CacheLookup, found: Promise<Uint8Array | undefined>): void {
    this.#waiting.push(lookup)
    lookup.request.queuePlace = lookup
    this.#stats.pending++
    this.#wakeUp.by(lookup.start + this.#cache.lookupTimeout)
    void found.then((entry) => {
      if (this.#leave(lookup)) this.#proceedLate(lookup, entry)
    })
  }

  /** False when the request does not wait any more. */
  #leave(lookup: CacheLookup): boolean {
    if (!this.#waiting.remove(lookup)) return false
    lookup.request.queuePlace = undefined
    this.#stats.pending--
    if (this.#waiting.length === 0) this.#wakeUp.cancel()
    return true
  }

  #giveUpSlow(): void {
    const { lookupTimeout } = this.#cache
    const now = this.#clock.now()
    for (let lookup = this.#waiting.first; lookup !== undefined; lookup = this.#waiting.first) {
      if (lookup.start + lookupTimeout > now) {
        this.#wakeUp.by(lookup.start + lookupTimeout)
        return
      }
      this.#leave(lookup)
      const slow = new Error(`no answer within ${lookupTimeout} ms`)
      this.#cache.complain(`Failed to look up key [${lookup.key}] in response cache`, slow)
      lookup.abort()
      this.#proceedLate(lookup, undefined)
    }
  }

  /** The caller has its promise already, so what would be thrown is answered. */
  #proceedLate(lookup: CacheLookup, entry: Uint8Array | undefined): void {
    lookup.request.queuedAt = this.#clock.now()
    try {
      this.#proceed(lookup, entry)
    } catch (error) {
      lookup.request.refuse(TritonError.from(error))
    }
  }

  #proceed(lookup: CacheLookup, entry: Uint8Array | undefined): void {
    const { request, key } = lookup
    lookup.wasFound = entry !== undefined
    lookup.outputs = entry && this.#cache.decode(key, entry)
    lookup.end = this.#clock.now()
    if (lookup.isHit) {
      request.respondFromCache(lookup.outputs as Outputs, lookup.start, lookup.end)
      return
    }
    request.onAnswer((outputs) => this.#store(lookup, outputs))
    this.#inner.enqueue(request)
  }

  #store(lookup: CacheLookup, outputs: Outputs): void {
    const { request, key } = lookup
    const start = this.#clock.now()
    // A caller that changed its inputs meanwhile must not be answered to those who did not.
    const isTrue = this.#cache.isKeyOf(key, request)
    // What an earlier request asked for stays, so that callers of different outputs do not drive each other out.
    const all = lookup.outputs === undefined ? outputs : { ...lookup.outputs, ...outputs }
    const stored = isTrue ? this.#cache.insert(key, all, lookup.wasFound) : true
    const count = (isNew: boolean): void => {
      if (!isNew || request.isCancelled) return
      this.#stats.recordCacheMiss(lookup.end - lookup.start + this.#clock.now() - start)
    }
    if (typeof stored === 'boolean') count(stored)
    else void stored.then(count)
  }
}
