import {
  type Backend,
  type BackendInstance,
  type BackendModel,
  type BackendServer,
  modelConfigFromJson,
} from '@triton-ts/core/backend'
import type { Handlers } from '../messages/answerer.ts'
import type { ChildCalls } from '../messages/messages.ts'
import type {
  BackendSource,
  InstanceReport,
  InstanceSpec,
  ModelReport,
  ModelSpec,
  Status,
} from '../messages/model-spec.ts'
import { MetricCollectors } from './metric-collectors.ts'
import { parentLogger, type Send } from './parent-link.ts'

/** The model version that this process is for. */
export class HostedModel {
  readonly #send: Send
  readonly #server: BackendServer
  readonly #collectors = new MetricCollectors()
  readonly #instances = new Map<number, BackendInstance>()
  #model: BackendModel | undefined
  #hasSentStatus = false

  constructor(send: Send, server: BackendServer) {
    this.#send = send
    this.#server = server
  }

  readonly handlers: Handlers<ChildCalls> = {
    createModel: (signal, spec) => this.#createModel(spec, signal),
    createInstance: (signal, spec) => this.#createInstance(spec, signal),
    isReady: async (_, id) => (await this.instance(id).isReady?.()) ?? true,
    disposeInstance: (_, id) => this.#disposeInstance(id),
    disposeModel: async () => this.#model?.dispose(),
  }

  /** The parent names only what it was told of. */
  instance(id: number): BackendInstance {
    return this.#instances.get(id) as BackendInstance
  }

  /** What metrics and memory are now; nothing where the backend never had either. */
  sendStatus(): void {
    try {
      const status: Status = { memoryUsage: this.#model?.memoryUsage?.() ?? [], metrics: this.#collectors.collect() }
      if (!this.#hasSentStatus && status.memoryUsage.length + status.metrics.length === 0) return
      this.#hasSentStatus = true
      this.#send({ kind: 'status', status })
    } catch (err) {
      parentLogger(this.#send).error({ err }, 'a model cannot tell its metrics or its memory usage')
    }
  }

  async #createModel({ source, config, ...spec }: ModelSpec, signal: AbortSignal): Promise<ModelReport> {
    const backend = await loadBackend(source)
    const model = await backend.createModel({
      ...spec,
      config: modelConfigFromJson(config),
      server: this.#server,
      collectMetrics: (collector) => this.#collectors.add(collector),
      logger: parentLogger(this.#send),
      signal,
    })
    this.#model = model
    this.sendStatus()
    const { autoCompleted, preferredInstanceGroups, parallelInstanceLoading, servesBatchStrategy } = model
    const includesRequests = model.includeRequest !== undefined
    return { autoCompleted, preferredInstanceGroups, parallelInstanceLoading, servesBatchStrategy, includesRequests }
  }

  async #createInstance({ instance: id, config, ...slot }: InstanceSpec, signal: AbortSignal): Promise<InstanceReport> {
    const model = this.#model as BackendModel
    const instance = await model.createInstance({ ...slot, config: modelConfigFromJson(config), signal })
    this.#instances.set(id, instance)
    this.sendStatus()
    return { reportsStatistics: instance.reportsStatistics ?? false }
  }

  async #disposeInstance(id: number): Promise<void> {
    const instance = this.instance(id)
    this.#instances.delete(id)
    await instance.dispose()
  }
}

async function loadBackend({ module, name, options }: BackendSource): Promise<Backend> {
  const exports = (await import(module)) as Record<string, (options: unknown) => Backend>
  const create = exports[name]
  if (create === undefined) throw new TypeError(`${module} exports no '${name}'`)
  return create(options)
}
