import type { ExecutionRequest } from '../backend/backend.ts'
import type { ModelConfig } from '../config/model-config.ts'
import type { LoadOptions } from '../lifecycle/poll-model.ts'
import type { InputValue } from '../request/input-value.ts'
import type { Outputs } from '../response/inference-response.ts'
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

  infer(model: string, inputs: Readonly<Record<string, InputValue>>, options: NestedOptions = {}): Promise<Outputs> {
    return this.#host.server.infer(this.#call(model, inputs, options))
  }

  inferStream(
    model: string,
    inputs: Readonly<Record<string, InputValue>>,
    options: NestedOptions = {},
  ): AsyncIterableIterator<Outputs> {
    return this.#host.server.stream(this.#call(model, inputs, options))
  }

  isModelReady(model: string, version = -1): Promise<boolean> {
    return this.#host.server.isModelReady(model, version)
  }

  load(model: string, options?: LoadOptions): Promise<void> {
    return this.#host.server.load(model, options)
  }

  unload(model: string): Promise<void> {
    return this.#host.server.unload(model)
  }

  #call(model: string, inputs: NestedCall['inputs'], { parent, ...options }: NestedOptions): NestedCall {
    return { model, inputs, options, parent: parent instanceof HostedRequest ? parent.execution : this.#parent }
  }
}
