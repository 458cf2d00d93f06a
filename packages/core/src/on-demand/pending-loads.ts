import { TritonError } from '../errors.ts'
import type { LoadOptions } from '../lifecycle/poll-model.ts'
import { checkModelName } from '../repository/model-name.ts'
import { stoppingError } from '../scheduler/stopping-error.ts'
import type { AbortFollowers } from '../util/abort-followers.ts'
import type { Clock } from '../util/clock.ts'
import { endsBefore } from '../util/ends-before.ts'
import { givenUp } from '../util/given-up.ts'
import type { DemandLoader } from './demand-loader.ts'
import type { Lease } from './lease.ts'
import { LoadPauses } from './load-pauses.ts'
import { PendingLoad } from './pending-load.ts'
import type { Residents } from './residents.ts'
import type { WaitOptions } from './waiter.ts'

/** What pending loads work with. */
export interface PendingLoadsParts {
  readonly loader: DemandLoader
  readonly residents: Residents
  readonly clock: Clock
  readonly signals: AbortFollowers
  /** Whether the Server does not stop. */
  isAccepting(): boolean
  /** A load is over, or a model is not kept any more. */
  proceed(): void
}

/** Models that are being loaded, or are to be, each once for everybody who waits. */
export class PendingLoads {
  readonly #parts: PendingLoadsParts
  readonly pauses: LoadPauses
  /** By name. */
  readonly #loads = new Map<string, PendingLoad>()
  #succeeded = 0
  #failed = 0

  constructor(parts: PendingLoadsParts) {
    this.#parts = parts
    this.pauses = new LoadPauses(parts.clock)
  }

  get succeeded(): number {
    return this.#succeeded
  }

  get failed(): number {
    return this.#failed
  }

  get(name: string): PendingLoad | undefined {
    return this.#loads.get(name)
  }

  /** Whoever waits for what has not begun hears that the Server stops. */
  stop(): void {
    for (const load of [...this.#loads.values()]) if (!load.hasBegun) load.giveUp(stoppingError())
  }

  /**
   * Loads a model that requests want, or waits for the load that is pending.
   * @throws TritonError
   */
  async join(name: string, wait: WaitOptions): Promise<Lease> {
    for (let coming = this.#loads.get(name); coming !== undefined; coming = this.#loads.get(name)) {
      if (!coming.signal.aborted) {
        const lease = coming.wait(wait)
        // A request of a model may bring it forward.
        if (!coming.hasBegun) this.#parts.proceed()
        return lease
      }
      await coming.over
    }
    checkModelName(name)
    const paused = this.pauses.of(name)
    if (paused !== undefined) throw paused
    return this.#begin(name, wait)
  }

  /**
   * Loads or reloads a model for `Server.load`, after all loads of it that are pending.
   * @throws TritonError with Triton's texts.
   */
  async load(name: string, options: LoadOptions): Promise<void> {
    const { signal = new AbortController().signal } = options
    for (let other = this.#loads.get(name); other !== undefined; other = this.#loads.get(name)) {
      if (!(await endsBefore(other.over, signal))) throw givenUp(signal)
    }
    checkModelName(name)
    const lease = await this.#begin(name, options, options)
    lease[Symbol.dispose]()
  }

  /** @param options of `Server.load`; without, requests want it. */
  #begin(name: string, wait: WaitOptions, options?: LoadOptions): Promise<Lease> {
    if (!this.#parts.isAccepting()) throw stoppingError()
    const load = new PendingLoad(name, options, this.#parts)
    this.#loads.set(name, load)
    const lease = load.wait(wait)
    void this.#run(load)
    return lease
  }

  async #run(load: PendingLoad): Promise<void> {
    const { loader, residents, proceed } = this.#parts
    const { name } = load
    try {
      const resident = await loader.load(load)
      this.#succeeded++
      this.pauses.end(name)
      resident.isPinned ||= load.options !== undefined
      this.#loads.delete(name)
      const own = residents.lease(resident, proceed)
      resident.holds--
      load.succeed(() => residents.lease(resident, proceed))
      own[Symbol.dispose]()
    } catch (error) {
      this.#loads.delete(name)
      load.fail(this.#failure(load, TritonError.from(error)))
    }
    proceed()
  }

  /** What those hear who wait for a load that failed. */
  #failure({ name, options, hasBegun }: PendingLoad, error: TritonError): TritonError {
    if (!hasBegun || !this.#parts.isAccepting()) return error
    this.#failed++
    return options === undefined ? this.pauses.failed(name, error) : error
  }
}
