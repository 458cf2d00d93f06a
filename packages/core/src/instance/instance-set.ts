import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Logger } from '../util/logger.ts'
import type { ModelInstance } from './model-instance.ts'

/** Other instances for a model version. */
export interface InstanceChange {
  readonly kept: readonly ModelInstance[]
  readonly added: readonly ModelInstance[]
  readonly surplus: readonly ModelInstance[]
}

/** The instances of a model version, which it owns; those that are not passive take requests from its scheduler. */
export class InstanceSet {
  readonly #scheduler: Scheduler
  readonly #logger: Logger
  /** Those that no longer take requests but may still run. */
  readonly #leaving = new Set<Promise<void>>()
  #current: readonly ModelInstance[]

  /** @param scheduler has those of `instances` that are not passive. */
  constructor(instances: readonly ModelInstance[], scheduler: Scheduler, logger: Logger) {
    this.#current = instances
    this.#scheduler = scheduler
    this.#logger = logger
  }

  get current(): readonly ModelInstance[] {
    return this.#current
  }

  /** Whether every instance says that it can serve, passive ones too. */
  async isReady(): Promise<boolean> {
    const ready = await Promise.all(this.#current.map((instance) => instance.isReady()))
    return ready.every(Boolean)
  }

  /** Uses the added instances before it lets go of the surplus ones, which end what they run. */
  change({ kept, added, surplus }: InstanceChange): void {
    this.#current = [...kept, ...added]
    for (const instance of added) if (!instance.isPassive) this.#scheduler.addInstance(instance)
    for (const instance of surplus) {
      const leaving = this.#retire(instance)
        .catch((err: unknown) => this.#logger.error({ err }, `failed to clean up instance '${instance.name}'`))
        .finally(() => this.#leaving.delete(leaving))
      this.#leaving.add(leaving)
    }
  }

  /** Gives all instances back as soon as each is through with what it runs. */
  async dispose(): Promise<void> {
    const results = await Promise.allSettled(this.#current.map((instance) => this.#retire(instance)))
    await Promise.all(this.#leaving)
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async #retire(instance: ModelInstance): Promise<void> {
    if (!instance.isPassive) await this.#scheduler.removeInstance(instance)
    await instance.dispose()
  }
}
