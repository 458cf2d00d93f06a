import type { ModelInstance } from './model-instance.ts'

/** The instances of a model version; the one that became idle last is used first, since its caches are warm. */
export class InstancePool {
  readonly instances: readonly ModelInstance[]
  readonly #idle: ModelInstance[]

  constructor(instances: readonly ModelInstance[]) {
    this.instances = instances
    this.#idle = [...instances].reverse()
  }

  get hasIdle(): boolean {
    return this.#idle.length > 0
  }

  acquire(): ModelInstance | undefined {
    return this.#idle.pop()
  }

  release(instance: ModelInstance): void {
    this.#idle.push(instance)
  }
}
