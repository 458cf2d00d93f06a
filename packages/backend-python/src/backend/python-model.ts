import type { Clock, ModelConfig } from '@triton-ts/core'
import {
  type AutoCompletedConfig,
  autoCompletedFromJson,
  type BackendInstance,
  type BackendModel,
  backgroundClock,
  type InstanceContext,
  type ModelContext,
  modelConfigToJson,
} from '@triton-ts/core/backend'
import { chooseInterpreter } from '../environment/choose-interpreter.ts'
import { ModelMetrics } from '../metrics/model-metrics.ts'
import type { PythonProcess } from '../process/python-process.ts'
import { type StartOptions, startProcess } from '../process/start-process.ts'
import type { PythonInternals, PythonOptions } from '../python-options.ts'
import { type ModelSettings, modelSettings } from './model-settings.ts'
import { PythonInstance, type StartedInstance } from './python-instance.ts'

/** A model version in Python. */
export class PythonModel implements BackendModel {
  autoCompleted: AutoCompletedConfig | undefined
  readonly #context: ModelContext
  readonly #settings: ModelSettings
  readonly #start: StartOptions
  readonly #verbose: boolean
  readonly #clock: Clock
  readonly #metrics = new ModelMetrics()
  readonly #takeMetricsBack: () => void
  /** The process that completed the configuration, until an instance takes it. */
  #spare: PythonProcess | undefined

  private constructor(
    context: ModelContext,
    settings: ModelSettings,
    start: StartOptions,
    verbose: boolean,
    clock: Clock,
  ) {
    this.#context = context
    this.#settings = settings
    this.#start = start
    this.#verbose = verbose
    this.#clock = clock
    this.#takeMetricsBack = context.collectMetrics(() => this.#metrics.snapshot())
  }

  /**
   * @param file of the backend, when it is a Python-based one.
   * @throws TritonError of the model's code, or that says what is missing.
   */
  static async open(
    context: ModelContext,
    file: string | undefined,
    { executable, verbose = false }: PythonOptions,
    { clock = backgroundClock, sharedMemory = '/dev/shm', sharedMemoryLimit }: PythonInternals,
  ): Promise<PythonModel> {
    const settings = modelSettings(context, file, sharedMemoryLimit)
    const interpreter = await chooseInterpreter(settings.environment, executable, context.signal)
    const start = { interpreter, directory: process.cwd(), sharedMemory }
    const model = new PythonModel(context, settings, start, verbose, clock)
    try {
      if (context.autoComplete) await model.#complete()
      return model
    } catch (error) {
      await model.dispose()
      throw error
    }
  }

  async createInstance(slot: InstanceContext): Promise<BackendInstance> {
    const { name, config, signal } = slot
    const isDecoupled = config.modelTransactionPolicy?.decoupled ?? false
    const bringUp = (wanted: AbortSignal): Promise<StartedInstance> => this.#initialize(slot, isDecoupled, wanted)
    const first = await bringUp(signal)
    const { logger, name: model } = this.#context
    const owner = { ...this.#settings, name: model, clock: this.#clock, logger }
    return new PythonInstance(first, { name, isDecoupled, mayLookAhead: mayLookAhead(config), bringUp }, owner)
  }

  async dispose(): Promise<void> {
    this.#takeMetricsBack()
    await this.#spare?.stop()
  }

  /** Has the model complete its configuration. The process becomes that of the first instance. */
  async #complete(): Promise<void> {
    const { config, signal } = this.#context
    this.#spare = await this.#startProcess()
    const completed = { config: JSON.stringify(modelConfigToJson(config)) }
    const activity = 'it completed its configuration'
    const answer = await this.#spare.callUnlessAborted('complete', completed, activity, signal)
    if (answer.config !== undefined) this.autoCompleted = autoCompletedFromJson(answer.config)
  }

  async #initialize(slot: InstanceContext, isDecoupled: boolean, signal: AbortSignal): Promise<StartedInstance> {
    const { name, kind, deviceId, config } = slot
    const spare = this.#spare
    this.#spare = undefined
    const process = spare ?? (await this.#startProcess())
    process.becomes(name)
    const fields = {
      config: JSON.stringify(modelConfigToJson(config)),
      instance: name,
      kind: kind.slice('KIND_'.length),
      device: deviceId,
      decoupled: isDecoupled,
    }
    try {
      const answer = await process.callUnlessAborted('initialize', fields, 'it was initialized', signal)
      return { process, hasReadiness: answer.is_ready ?? false }
    } catch (error) {
      await process.stop()
      throw error
    }
  }

  #startProcess(): Promise<PythonProcess> {
    const { name, version, directory, versionDirectory, backendConfig, server, logger } = this.#context
    const hello = {
      file: this.#settings.file,
      name,
      version: String(version),
      model_repository: directory,
      model_directory: versionDirectory,
      instance: name,
      backend_config: backendConfig,
      verbose: this.#verbose ? 1 : 0,
    }
    return startProcess(this.#start, hello, {
      model: name,
      server,
      metrics: this.#metrics,
      clock: this.#clock,
      logger,
      sizes: this.#settings.sizes,
    })
  }
}

/**
 * Where requests run one by one, in the order in which they come, on the only instance. Larger batches are better than
 * early ones, sequences wait for answers, and the rate limiter for the end of runs.
 */
function mayLookAhead({
  instanceGroup,
  dynamicBatching,
  sequenceBatching,
  modelTransactionPolicy,
}: ModelConfig): boolean {
  const [group, ...others] = instanceGroup
  if (group === undefined || others.length > 0 || group.count !== 1 || group.rateLimiter !== undefined) return false
  return dynamicBatching === undefined && sequenceBatching === undefined && !modelTransactionPolicy?.decoupled
}
