import type { Clock } from '@triton-ts/core'
import {
  type AutoCompletedConfig,
  type BackendInstance,
  type BackendModel,
  codeInstanceGroups,
  DirectCodeServer,
  type InstanceContext,
  MetricStore,
  type ModelContext,
  modelConfigToJson,
} from '@triton-ts/core/backend'
import type { Execution } from '../../execution.ts'
import type { CodePlace } from '../../import-code.ts'
import { ModelWorker } from './model-worker.ts'
import { WorkerInstance } from './worker-instance.ts'
import type { WorkerOwner } from './worker-owner.ts'

/** A model version each of whose instances has a worker. */
export class WorkerModel implements BackendModel {
  readonly autoCompleted: AutoCompletedConfig
  readonly preferredInstanceGroups = codeInstanceGroups
  readonly #owner: WorkerOwner
  readonly #takeMetricsBack: () => void
  /** The worker that completed the configuration is that of the first instance. */
  #first: ModelWorker | undefined

  private constructor(owner: WorkerOwner, first: ModelWorker, autoCompleted: AutoCompletedConfig) {
    this.autoCompleted = autoCompleted
    this.#owner = owner
    this.#first = first
    this.#takeMetricsBack = owner.context.collectMetrics(() => owner.metrics.collect())
  }

  /** @throws TritonError of the code, or that tells how the worker ended. */
  static async open(
    place: CodePlace,
    context: ModelContext,
    { timeout, maxHeap, clock }: Execution & { readonly clock: Clock },
  ): Promise<WorkerModel> {
    const server = new DirectCodeServer(context.server)
    const owner: WorkerOwner = { place, context, server, metrics: new MetricStore(), clock, timeout, maxHeap }
    const first = new ModelWorker(owner)
    if (!context.autoComplete) return new WorkerModel(owner, first, {})
    try {
      const config = JSON.stringify(modelConfigToJson(context.config))
      return new WorkerModel(owner, first, await first.ask('complete', config, context.signal))
    } catch (error) {
      await first.stop()
      throw error
    }
  }

  createInstance({ name, config, signal }: InstanceContext): Promise<BackendInstance> {
    const worker = this.#first ?? new ModelWorker(this.#owner)
    this.#first = undefined
    return WorkerInstance.open(worker, { name, config: JSON.stringify(modelConfigToJson(config)) }, this.#owner, signal)
  }

  async dispose(): Promise<void> {
    this.#takeMetricsBack()
    await this.#first?.stop()
  }
}
