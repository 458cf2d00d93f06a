import type { Clock, Logger } from '@triton-ts/core'
import {
  type BackendInstance,
  type ExecutionMarks,
  type ExecutionRequest,
  type InstanceContext,
  type Keeper,
  modelConfigToJson,
} from '@triton-ts/core/backend'
import type { InstanceSpec } from '../messages/model-spec.ts'
import { endUnlessDone } from './end-unless-done.ts'
import type { ModelProcess } from './model-process.ts'

/** What an instance needs of its model. */
export interface InstanceOwner {
  readonly keeper: Keeper<ModelProcess>
  readonly clock: Clock
  readonly logger: Logger
  /** The instance is gone. */
  forget(instance: IsolatedInstance): void
}

/** An execution slot in a process, and in the next one when that process has ended. */
export class IsolatedInstance implements BackendInstance {
  readonly #owner: InstanceOwner
  readonly #spec: InstanceSpec
  #reportsStatistics = false

  private constructor(owner: InstanceOwner, spec: InstanceSpec) {
    this.#owner = owner
    this.#spec = spec
  }

  /** @param id is its own among the instances of its model. */
  static async open(id: number, slot: InstanceContext, owner: InstanceOwner): Promise<IsolatedInstance> {
    const { name, kind, deviceId, group, hostPolicy, config, signal } = slot
    const json = JSON.stringify(modelConfigToJson(config))
    const spec = { instance: id, name, kind, deviceId, group, hostPolicy, config: json }
    const instance = new IsolatedInstance(owner, spec)
    await instance.createIn(owner.keeper.expect(), signal)
    return instance
  }

  get reportsStatistics(): boolean {
    return this.#reportsStatistics
  }

  async createIn(process: ModelProcess, signal: AbortSignal): Promise<void> {
    const activity = `it made instance '${this.#spec.name}'`
    const { reportsStatistics } = await process.call('createInstance', [this.#spec], activity, signal)
    this.#reportsStatistics = reportsStatistics
  }

  execute(requests: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> {
    const { instance, name } = this.#spec
    return this.#owner.keeper.expect().execute(instance, name, requests, marks)
  }

  async isReady(): Promise<boolean> {
    const { instance, name } = this.#spec
    const activity = `instance '${name}' told whether it is ready`
    return (await this.#owner.keeper.current?.call('isReady', [instance], activity)) ?? false
  }

  async dispose(): Promise<void> {
    this.#owner.forget(this)
    const { current } = this.#owner.keeper
    if (current !== undefined) await this.disposeIn(current)
  }

  /** A process that does not do it is ended. */
  async disposeIn(process: ModelProcess): Promise<void> {
    const { instance, name } = this.#spec
    const disposed = process.call('disposeInstance', [instance], `it disposed instance '${name}'`)
    await endUnlessDone(process, disposed, `instance '${name}' is not disposed`, this.#owner)
  }
}
