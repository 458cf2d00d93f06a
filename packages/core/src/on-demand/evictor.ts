import type { UnloadOptions } from '../backend/backend-server.ts'
import type { ModelManager } from '../lifecycle/model-manager.ts'
import type { Unloading } from '../lifecycle/unloading.ts'
import type { Logger } from '../util/logger.ts'
import { memorySizeText } from '../util/memory-size.ts'
import type { EvictionOrder } from './eviction-order.ts'
import type { Resident } from './resident.ts'
import type { Residents } from './residents.ts'

/** What an evictor works with. */
export interface EvictorParts {
  readonly manager: ModelManager
  readonly residents: Residents
  readonly order: EvictionOrder
  readonly logger: Logger
  /** Memory is back, or a model may have come to rest. */
  proceed(): void
}

/** Takes models out of service that nothing uses, and sees to it that models come to rest. */
export class Evictor {
  readonly #parts: EvictorParts
  readonly #watched = new Set<Resident>()
  #count = 0

  constructor(parts: EvictorParts) {
    this.#parts = parts
  }

  /** Models evicted so far. */
  get count(): number {
    return this.#count
  }

  /** From now on no request finds them. Resolves, and `proceed` is called, when everything of them was given back. */
  async evict(victims: readonly Resident[], why: string): Promise<void> {
    const { manager, residents, logger, proceed } = this.#parts
    for (const victim of victims) {
      victim.state = 'leaving'
      this.#count++
      logger.info({ model: victim.name }, `model '${victim.name}' (${memorySizeText(victim.bytes)}) is evicted: ${why}`)
    }
    try {
      await manager.evict(victims.map(({ name }) => name))
    } catch (err) {
      logger.error({ err }, `failed to evict ${victims.map(({ name }) => `'${name}'`).join(', ')}`)
    }
    for (const victim of victims) residents.remove(victim)
    proceed()
  }

  /** Takes a model out of service on purpose, with the ensembles that need it. Requests in flight finish. */
  async unload(name: string, { unloadDependents = false }: UnloadOptions): Promise<Unloading> {
    const { manager, residents, proceed } = this.#parts
    const own = residents.get(name)
    const all = [...residents.dependents(name), ...(own === undefined ? [] : [own])]
    const going = all.filter(({ state }) => state === 'here')
    for (const resident of going) {
      resident.state = 'leaving'
      resident.isPinned = false
    }
    const versions = going.flatMap((resident) => manager.readyVersions(resident.name))
    await manager.unloadEach(going.filter((resident) => resident.name !== name).map((resident) => resident.name))
    const unloading = await manager.unload(name)
    const gone = Promise.all(versions.map((version) => version.gone)).then(() => {
      for (const resident of going) residents.remove(resident)
      manager.forget([name, ...going.map((resident) => resident.name)])
      proceed()
    })
    unloading.waitFor(gone)
    if (unloadDependents) unloading.waitFor(gone.then(() => this.#evictSteps(name, going)))
    return unloading
  }

  /** Those that nothing uses; the others stay until their memory is needed. */
  async #evictSteps(name: string, going: readonly Resident[]): Promise<void> {
    const steps = new Set(going.find((resident) => resident.name === name)?.steps)
    for (;;) {
      const victims = this.#parts.order.victims(none, steps)
      if (victims.length === 0) return
      await this.evict(victims, `they were needed by '${name}' alone`)
    }
  }

  /** From now on new requests of applications wait for the next load of these models. */
  drain(busy: readonly Resident[], why: string): void {
    for (const resident of busy) {
      resident.isDraining = true
      const text = `model '${resident.name}' takes no more requests until it was loaded again: ${why}`
      this.#parts.logger.info({ model: resident.name }, text)
    }
  }

  /** `proceed` is called when no request or sequence of one of these models is left. */
  watch(busy: readonly Resident[]): void {
    for (const resident of busy) {
      if (this.#watched.has(resident)) continue
      this.#watched.add(resident)
      const versions = this.#parts.manager.readyVersions(resident.name)
      void Promise.all(versions.map((version) => version.drained())).then(() => {
        this.#watched.delete(resident)
        this.#parts.proceed()
      })
    }
  }
}

const none: ReadonlySet<string> = new Set()
