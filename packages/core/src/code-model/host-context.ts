import type { ExecutionRequest } from '../backend/backend.ts'
import type { ModelConfig } from '../config/model-config.ts'
import type { Logger } from '../util/logger.ts'
import type { CodeContext, NestedOptions } from './code-context.ts'
import type { CodeHost } from './code-host.ts'
import type { NestedCall } from './code-server.ts'
import { HostedRequest } from './hosted-request.ts'
import type { ModelMetrics } from './model-metrics.ts'

/** The context of one call of a method. */
export class HostContext implements CodeContext {
  readonly #host: CodeHost
  readonly #parent: ExecutionRequest | undefined

  /** @param parent of the requests that name none. */
  constructor(host: CodeHost, parent?: ExecutionRequest) {
    this.#host = host
    this.#parent = parent
  }

  get model(): string {
    return this.#host.model
  }

  get version(): number {
    return this.#host.version
  }

  get instance(): string {
    return this.#host.instance
  }

  get config(): ModelConfig {
    return this.#host.config
  }

  get parameters(): Readonly<Record<string, string>> {
    return this.#host.parameters
  }

  get directory(): string {
    return this.#host.directory
  }

  get versionDirectory(): string {
    return this.#host.versionDirectory
  }

  get logger(): Logger {
    return this.#host.logger
  }

  get metrics(): ModelMetrics {
    return this.#host.metrics
  }

  // Functions of their own, so that code may take them out: `infer(request, { infer })`.

  get infer(): CodeContext['infer'] {
    return (model, inputs, options) => this.#host.server.infer(this.#call(model, inputs, options))
  }

  get inferStream(): CodeContext['inferStream'] {
    return (model, inputs, options) => this.#host.server.stream(this.#call(model, inputs, options))
  }

  get isModelReady(): CodeContext['isModelReady'] {
    return (model, version = -1) => this.#host.server.isModelReady(model, version)
  }

  get load(): CodeContext['load'] {
    return (model, options) => this.#host.server.load(model, options)
  }

  get unload(): CodeContext['unload'] {
    return (model) => this.#host.server.unload(model)
  }

  #call(model: string, inputs: NestedCall['inputs'], { parent, ...options }: NestedOptions = {}): NestedCall {
    return { model, inputs, options, parent: parent instanceof HostedRequest ? parent.execution : this.#parent }
  }
}
