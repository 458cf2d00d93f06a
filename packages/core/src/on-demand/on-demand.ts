import type { UnloadOptions } from '../backend/backend-server.ts'
import { TritonError } from '../errors.ts'
import type { ModelManager } from '../lifecycle/model-manager.ts'
import type { LoadOptions } from '../lifecycle/poll-model.ts'
import type { Unloading } from '../lifecycle/unloading.ts'
import type { MetricFamilySnapshot } from '../metrics/metric-family.ts'
import { stoppingError } from '../scheduler/stopping-error.ts'
import type { AbortFollowers } from '../util/abort-followers.ts'
import type { Clock } from '../util/clock.ts'
import type { DemandLoader } from './demand-loader.ts'
import type { Evictor } from './evictor.ts'
import type { Lease } from './lease.ts'
import type { LoadLine } from './load-line.ts'
import type { ModelSurvey } from './model-survey.ts'
import { onDemandMetrics } from './on-demand-metrics.ts'
import { PendingLoads } from './pending-loads.ts'
import type { Residents } from './residents.ts'
import type { WaitOptions } from './waiter.ts'

/** What models on demand work with. */
export interface OnDemandParts {
  readonly manager: ModelManager
  readonly survey: ModelSurvey
  readonly residents: Residents
  readonly line: LoadLine
  readonly evictor: Evictor
  readonly loader: DemandLoader
  /** Bytes; infinite without a limit. */
  readonly budget: number
  readonly clock: Clock
  readonly signals: AbortFollowers
}

/** Models that are loaded by their first request, and evicted when their memory is needed for others. */
export class OnDemand {
  readonly #parts: OnDemandParts
  readonly #loads: PendingLoads
  #isOpen = false

  constructor(parts: OnDemandParts) {
    this.#parts = parts
    const { loader, residents, clock, signals, manager } = parts
    this.#loads = new PendingLoads({
      loader,
      residents,
      clock,
      signals,
      isAccepting: () => manager.isAccepting,
      proceed: () => parts.line.proceed(),
    })
  }

  /** From now on models are loaded. */
  open(): void {
    this.#isOpen = true
  }

  /** Whoever waits for memory hears that the Server stops. */
  stop(): void {
    this.#loads.stop()
  }

  isThere(name: string): boolean {
    return this.#parts.residents.get(name)?.state === 'here'
  }

  /**
   * Whether a request has to wait for its model. One that is there counts as used now.
   * @param isNested whether a model sends the request.
   */
  isMissing(name: string, isNested: boolean): boolean {
    return this.#parts.residents.use(name, isNested) === undefined && this.#isOpen
  }

  /**
   * Waits for a model and does `send` with it, which cannot be evicted before that has returned.
   * @param send is told how many microseconds were waited.
   * @throws TritonError as `lease` does.
   */
  async send<T>(name: string, wait: WaitOptions, send: (waited: number) => T | Promise<T>): Promise<T> {
    const { clock } = this.#parts
    const start = clock.now()
    const lease = await this.lease(name, wait)
    try {
      return send(Math.round((clock.now() - start) * 1000))
    } finally {
      lease[Symbol.dispose]()
    }
  }

  /**
   * Loads a model unless it is there, and keeps it until the lease is disposed.
   * @throws TritonError NOT_FOUND for a model that is in no repository; UNAVAILABLE when it cannot be loaded, does not
   * fit, or the time is up; CANCELLED after an abort.
   */
  async lease(name: string, wait: WaitOptions = {}): Promise<Lease> {
    if (wait.signal?.aborted) {
      throw new TritonError('CANCELLED', 'the request was cancelled', { cause: wait.signal.reason })
    }
    const { manager, residents, line } = this.#parts
    if (!manager.isAccepting || !this.#isOpen) throw stoppingError()
    const resident = residents.use(name, wait.held !== undefined)
    if (resident === undefined) return this.#loads.join(name, wait)
    return residents.lease(resident, () => line.proceed())
  }

  /**
   * Loads or reloads a model, which is then not evicted before `unload`.
   * @throws TritonError with Triton's texts.
   */
  load(name: string, options: LoadOptions): Promise<void> {
    return this.#loads.load(name, options)
  }

  /** Loads several models so; returns what failed, by name. */
  async loadEach(names: readonly string[], options: LoadOptions): Promise<Map<string, TritonError>> {
    const failures = new Map<string, TritonError>()
    const load = (name: string): Promise<unknown> =>
      this.load(name, options).catch((error: unknown) => failures.set(name, TritonError.from(error)))
    await Promise.all(names.map(load))
    return failures
  }

  /** Takes a model out of service, with the ensembles that need it; its next request loads it again. */
  async unload(name: string, options: UnloadOptions): Promise<Unloading> {
    const coming = this.#loads.get(name)
    if (coming?.hasBegun) await coming.over
    this.#loads.pauses.end(name)
    return this.#parts.evictor.unload(name, options)
  }

  /** Whether a model that is not there could be loaded: it is in a repository, and no pause after a failure is on. */
  async isLoadable(name: string, version: number): Promise<boolean> {
    if (!this.#isOpen || this.#loads.pauses.of(name) !== undefined) return false
    return this.#parts.survey.has(name, version)
  }

  readonly collect = (): readonly MetricFamilySnapshot[] => {
    const { residents, line, evictor, budget } = this.#parts
    return onDemandMetrics({
      loads: this.#loads.succeeded,
      failures: this.#loads.failed,
      evictions: evictor.count,
      used: residents.used,
      budget,
      waiting: line.length,
    })
  }
}
