import type { ModelInstance } from './model-instance.ts'

/** The instances that a scheduler may use; the one that became idle last is used first, since its caches are warm. */
export class InstancePool {
  readonly #idle: ModelInstance[]
  /** Those to be taken out after their run, and what to do then. */
  readonly #leaving = new Map<ModelInstance, () => void>()
  #onIdle: () => void = () => {}

  constructor(instances: readonly ModelInstance[]) {
    this.#idle = [...instances].reverse()
  }

  /** Says whom to tell that an instance became idle. */
  onIdle(listener: () => void): void {
    this.#onIdle = listener
  }

  get hasIdle(): boolean {
    return this.#idle.length > 0
  }

  acquire(): ModelInstance | undefined {
    return this.#idle.pop()
  }

  /** The run of an acquired instance is over. */
  release(instance: ModelInstance): void {
    const leave = this.#leaving.get(instance)
    if (leave === undefined) {
      this.add(instance)
      return
    }
    this.#leaving.delete(instance)
    leave()
  }

  add(instance: ModelInstance): void {
    this.#idle.push(instance)
    this.#onIdle()
  }

  /** Resolves when the instance does not run and never will again. */
  async remove(instance: ModelInstance): Promise<void> {
    const index = this.#idle.indexOf(instance)
    if (index >= 0) this.#idle.splice(index, 1)
    else await new Promise<void>((resolve) => this.#leaving.set(instance, resolve))
  }
}
