import { TritonError } from '../errors.ts'
import type { ModelManager } from '../lifecycle/model-manager.ts'
import type { ModelVersion } from '../lifecycle/model-version.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { memorySizeText } from '../util/memory-size.ts'
import type { EvictionOrder } from './eviction-order.ts'
import type { Evictor } from './evictor.ts'
import type { LoadLine } from './load-line.ts'
import type { AdmittedModel } from './load-place.ts'
import type { EstimatedModel, MemoryCosts } from './memory-costs.ts'
import type { ModelSurvey } from './model-survey.ts'
import type { PendingLoad } from './pending-load.ts'
import type { Resident } from './resident.ts'
import type { Residents } from './residents.ts'

/** What a loader works with. */
export interface DemandLoaderParts {
  readonly manager: ModelManager
  readonly survey: ModelSurvey
  readonly costs: MemoryCosts
  readonly residents: Residents
  readonly order: EvictionOrder
  readonly line: LoadLine
  readonly evictor: Evictor
  /** Bytes. */
  readonly budget: number
  readonly clock: Clock
  readonly logger: Logger
}

/** Loads a model with everything that it needs, within the budget, and keeps account of what it takes. */
export class DemandLoader {
  readonly #parts: DemandLoaderParts

  constructor(parts: DemandLoaderParts) {
    this.#parts = parts
  }

  /**
   * Waits for memory and loads. The resident that it returns has a hold, which is the caller's.
   * @throws TritonError
   */
  async load(load: PendingLoad): Promise<Resident> {
    const { manager, survey, costs, residents, line } = this.#parts
    const { name, options = {}, signal } = load
    const models = await survey.of(name, options, signal)
    const needs = new Map<string, EstimatedModel>()
    for (const model of models.values()) needs.set(model.name, { ...model, bytes: costs.estimate(model) })
    const admitted = await line.admit(load, [...needs.values()])
    const before = new Map(admitted.map((each) => [each.name, manager.readyVersions(each.name)] as const))
    const failure = await this.#bringUp(load, needs)
    for (const each of admitted) {
      each.resident.holds--
      this.#settle(each, needs.get(each.name) as EstimatedModel, before.get(each.name) ?? [], failure !== undefined)
    }
    const resident = residents.get(name)
    if (resident !== undefined) resident.holds++
    this.#shrink(name)
    if (failure === undefined && resident?.state === 'here') return resident
    if (resident !== undefined) resident.holds--
    throw failure ?? new TritonError('UNAVAILABLE', `model '${name}' was unloaded while it was waited for`)
  }

  /** Returns what it failed with. */
  async #bringUp(
    { name, options, signal }: PendingLoad,
    needs: ReadonlyMap<string, EstimatedModel>,
  ): Promise<TritonError | undefined> {
    const { manager } = this.#parts
    try {
      await manager.load(name, { ...options, signal })
      return undefined
    } catch (error) {
      // An ensemble stays wanted, and its steps would be needed for ever.
      const isEnsemble = (needs.get(name)?.steps.size ?? 0) > 0
      if (isEnsemble) await manager.unload(name)
      return TritonError.from(error)
    }
  }

  /** What came of one of the models. @param old the versions that served before. */
  #settle(
    { name, bytesBefore }: AdmittedModel,
    model: EstimatedModel,
    old: readonly ModelVersion[],
    hasFailed: boolean,
  ): void {
    const { manager, residents, costs, clock } = this.#parts
    const versions = manager.readyVersions(name)
    const known = residents.get(name)
    if (versions.length === 0) {
      // Another load may still bring it.
      if (known?.state === 'loading' && known.holds === 0) residents.remove(known)
      return
    }
    const resident = known ?? residents.add(name, 0, model.steps)
    if (resident.state === 'leaving') return
    if (resident.state === 'loading') resident.cameAt = clock.now()
    resident.state = 'here'
    const replaced = old.filter((version) => !versions.includes(version))
    const isAsBefore = hasFailed && replaced.length === 0 && bytesBefore !== undefined
    const bytes = isAsBefore ? bytesBefore : costs.measure(model, versions)
    residents.resize(resident, replaced.length === 0 ? bytes : bytes + (bytesBefore ?? 0))
    if (replaced.length > 0) void this.#giveBack(resident, bytes, replaced)
  }

  /** Versions that were replaced have their memory until they are gone. */
  async #giveBack(resident: Resident, bytes: number, old: readonly ModelVersion[]): Promise<void> {
    const { residents, line } = this.#parts
    await Promise.all(old.map((version) => version.gone))
    if (residents.get(resident.name) !== resident) return
    residents.resize(resident, bytes)
    line.proceed()
  }

  /** Models may turn out to take more than was thought. */
  #shrink(forWhom: string): void {
    const { residents, order, budget, evictor, logger } = this.#parts
    while (residents.used - residents.leaving() > budget) {
      const victims = order.victims(new Set())
      if (victims.length === 0) {
        const text = `loaded models take ${memorySizeText(residents.used)}, more than the memory budget of ${memorySizeText(budget)}, and are all in use`
        logger.warn({}, text)
        return
      }
      void evictor.evict(victims, `model '${forWhom}' took more memory than was thought`)
    }
  }
}
