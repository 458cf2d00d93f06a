import type { Clock, Logger } from '@triton-ts/core'
import {
  type AutoCompletedConfig,
  type BackendInstance,
  type BackendModel,
  type InstanceContext,
  Keeper,
  type MemoryUsage,
  type ModelContext,
  type PreferredInstanceGroup,
} from '@triton-ts/core/backend'
import type { ModelReport } from '../messages/model-spec.ts'
import { bringUp } from './bring-up.ts'
import { endUnlessDone } from './end-unless-done.ts'
import { type InstanceOwner, IsolatedInstance } from './isolated-instance.ts'
import type { ModelProcess } from './model-process.ts'
import type { ProcessOptions } from './process-options.ts'

/** A model version in a process of its own. */
export class IsolatedModel implements BackendModel, InstanceOwner {
  readonly autoCompleted: AutoCompletedConfig | undefined
  readonly preferredInstanceGroups: readonly PreferredInstanceGroup[] | undefined
  readonly parallelInstanceLoading: boolean | undefined
  readonly servesBatchStrategy: boolean | undefined
  readonly keeper: Keeper<ModelProcess>
  readonly clock: Clock
  readonly logger: Logger
  readonly #context: ModelContext
  readonly #options: ProcessOptions
  readonly #instances = new Set<IsolatedInstance>()
  readonly #takeMetricsBack: () => void
  #lastInstance = 0

  private constructor(process: ModelProcess, report: ModelReport, context: ModelContext, options: ProcessOptions) {
    const { name, logger } = context
    this.autoCompleted = report.autoCompleted
    this.preferredInstanceGroups = report.preferredInstanceGroups
    this.parallelInstanceLoading = report.parallelInstanceLoading
    this.servesBatchStrategy = report.servesBatchStrategy
    this.clock = options.clock
    this.logger = logger
    this.#context = context
    this.#options = options
    const revive = (signal: AbortSignal) => this.#revive(signal)
    this.keeper = new Keeper(process, {
      what: `the process of model '${name}'`,
      model: name,
      logger,
      clock: options.clock,
      revive,
    })
    this.#takeMetricsBack = context.collectMetrics(() => {
      this.keeper.current?.askStatus()
      return this.keeper.current?.status.metrics ?? []
    })
  }

  /** @throws TritonError of the backend, or that tells how the process ended. */
  static async open(context: ModelContext, options: ProcessOptions): Promise<IsolatedModel> {
    const { name, logger, signal } = context
    const { process, report } = await bringUp(context, options, [], signal)
    if (report.includesRequests) {
      const text = `model '${name}' has a say in batching, which it cannot have in a process of its own: every request may join`
      logger.warn({ model: name }, text)
    }
    return new IsolatedModel(process, report, context, options)
  }

  async createInstance(slot: InstanceContext): Promise<BackendInstance> {
    const instance = await IsolatedInstance.open(++this.#lastInstance, slot, this)
    this.#instances.add(instance)
    return instance
  }

  /** As it was after the last batch. */
  memoryUsage(): readonly MemoryUsage[] {
    return this.keeper.current?.status.memoryUsage ?? []
  }

  forget(instance: IsolatedInstance): void {
    this.#instances.delete(instance)
  }

  async dispose(): Promise<void> {
    this.#takeMetricsBack()
    await this.keeper.stop(async (process) => {
      const disposed = process.call('disposeModel', [], 'it was unloaded')
      await endUnlessDone(process, disposed, `model '${this.#context.name}' is not unloaded`, this)
    })
  }

  async #revive(signal: AbortSignal): Promise<ModelProcess> {
    const made = [...this.#instances]
    const { process } = await bringUp(this.#context, this.#options, made, signal)
    try {
      for (const instance of made) if (!this.#instances.has(instance)) await instance.disposeIn(process)
    } catch (error) {
      await process.stop()
      throw error
    }
    return process
  }
}
