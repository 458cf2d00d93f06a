import type {
  AutoCompletedConfig,
  BackendInstance,
  BackendModel,
  InstanceContext,
  ModelContext,
} from '../backend/backend.ts'
import { type CodeHost, codeHost } from './code-host.ts'
import { CodeInstance } from './code-instance.ts'
import { DirectCodeServer } from './code-server.ts'
import { completeCode } from './complete-code.ts'
import { MetricStore } from './metric-store.ts'
import { instantiate, type ModelClass, type ModelCode } from './model-code.ts'
import { modelError } from './model-error.ts'
import { modelMetrics } from './model-metrics.ts'

/** Code runs on the CPU and once, unless the configuration says otherwise. */
export const codeInstanceGroups = [{ kind: 'KIND_CPU', count: 1, gpus: [] }] as const

/** A model version whose code runs in this thread. */
export class CodeModel implements BackendModel {
  readonly autoCompleted: AutoCompletedConfig
  readonly preferredInstanceGroups = codeInstanceGroups
  readonly #source: ModelCode | ModelClass
  readonly #context: ModelContext
  readonly #ways: Pick<CodeHost, 'logger' | 'metrics' | 'server'>
  readonly #takeMetricsBack: () => void
  /** What completed the configuration becomes the first instance. */
  #first: ModelCode | undefined

  private constructor(source: ModelCode | ModelClass, first: ModelCode, context: ModelContext, open: OpenedCode) {
    this.autoCompleted = open.autoCompleted
    this.#source = source
    this.#first = first
    this.#context = context
    this.#ways = open.ways
    this.#takeMetricsBack = context.collectMetrics(() => open.store.collect())
  }

  /** @throws TritonError for what the code throws. */
  static async open(source: ModelCode | ModelClass, context: ModelContext): Promise<CodeModel> {
    const { config, logger, server } = context
    const store = new MetricStore()
    const metrics = modelMetrics((change) => store.apply(change))
    const ways = { logger, metrics, server: new DirectCodeServer(server) }
    const first = made(source, context)
    const autoCompleted = context.autoComplete ? await completeCode(first, codeHost(context, config, '', ways)) : {}
    return new CodeModel(source, first, context, { autoCompleted, ways, store })
  }

  async createInstance({ name, config }: InstanceContext): Promise<BackendInstance> {
    const code = this.#first ?? made(this.#source, this.#context)
    this.#first = undefined
    return CodeInstance.open(code, codeHost(this.#context, config, name, this.#ways))
  }

  async dispose(): Promise<void> {
    this.#takeMetricsBack()
  }
}

interface OpenedCode {
  readonly autoCompleted: AutoCompletedConfig
  readonly ways: Pick<CodeHost, 'logger' | 'metrics' | 'server'>
  readonly store: MetricStore
}

function made(source: ModelCode | ModelClass, { name, directory }: ModelContext): ModelCode {
  try {
    return instantiate(source)
  } catch (error) {
    throw modelError(error, name, directory)
  }
}
