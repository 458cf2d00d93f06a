import { type Logger, type ModelClass, type ModelCode, TritonError } from '@triton-ts/core'
import {
  type CodeHost,
  CodeInstance,
  type CodeServer,
  codeHost,
  completeCode,
  instantiate,
  type MetricChange,
  modelConfigFromJson,
  modelError,
  modelMetrics,
} from '@triton-ts/core/backend'
import { importCode } from '../../import-code.ts'
import type { Answers } from '../messages/asker.ts'
import type { WorkerQuestions, WorkerSpec } from '../messages/messages.ts'

/** The ways of a thread to its Server. */
interface ThreadWays {
  readonly logger: Logger
  readonly server: CodeServer
  record(change: MetricChange): void
}

/** The model in this thread: one object of its code, which becomes one instance. */
export class ThreadModel {
  readonly #spec: WorkerSpec
  readonly #ways: Pick<CodeHost, 'logger' | 'metrics' | 'server'>
  readonly #code: Promise<ModelCode>
  #instance: CodeInstance | undefined

  constructor(spec: WorkerSpec, { logger, server, record }: ThreadWays) {
    this.#spec = spec
    this.#ways = { logger, server, metrics: modelMetrics(record) }
    this.#code = importCode(spec.place).then((source) => this.#instantiate(source))
    // Whoever asks first is told.
    this.#code.catch(() => {})
  }

  readonly answers: Answers<WorkerQuestions> = {
    complete: async (config) => completeCode(await this.#code, this.#host(config, '')),
    open: async ({ name, config }) => {
      const code = await this.#code
      this.#instance = await CodeInstance.open(code, this.#host(config, name))
      return code.isReady !== undefined
    },
    isReady: () => this.instance.isReady(),
    finalize: () => this.instance.dispose(),
  }

  /** @throws TritonError before it was opened. */
  get instance(): CodeInstance {
    if (this.#instance !== undefined) return this.#instance
    throw new TritonError('INTERNAL', `the worker of model '${this.#spec.facts.name}' has no instance yet`)
  }

  #host(config: string, instance: string): CodeHost {
    return codeHost(this.#spec.facts, modelConfigFromJson(config), instance, this.#ways)
  }

  #instantiate(source: ModelCode | ModelClass): ModelCode {
    try {
      return instantiate(source)
    } catch (error) {
      throw modelError(error, this.#spec.facts.name, this.#spec.facts.directory)
    }
  }
}
