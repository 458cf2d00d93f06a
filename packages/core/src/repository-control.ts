import type { Engine } from './engine.ts'
import { TritonError } from './errors.ts'
import type { LoadOptions } from './lifecycle/poll-model.ts'
import type { ServerUnloadOptions, UnloadReport } from './lifecycle/unloading.ts'
import { Lease } from './on-demand/lease.ts'
import type { RepositorySource } from './repository/repository-source.ts'
import type { ModelControl } from './server-options.ts'
import type { Logger } from './util/logger.ts'

export interface RepositoryControlParts {
  readonly engine: Engine
  readonly modelControl: ModelControl
  readonly logger: Logger
  readonly openSource: (path: string) => RepositorySource
}

/** What may be asked of models and repositories while a Server serves, which its `modelControl` decides. */
export class RepositoryControl {
  readonly #parts: RepositoryControlParts

  constructor(parts: RepositoryControlParts) {
    this.#parts = parts
  }

  async load(name: string, options: LoadOptions): Promise<void> {
    this.#expectControl()
    const { onDemand, manager } = this.#parts.engine
    await (onDemand ?? manager).load(name, options)
  }

  async unload(
    name: string,
    { waitUntilUnloaded = false, signal, ...options }: ServerUnloadOptions,
  ): Promise<UnloadReport> {
    this.#expectControl()
    const { onDemand, manager } = this.#parts.engine
    const unloading = await (onDemand ?? manager).unload(name, options)
    return unloading.report(waitUntilUnloaded, signal)
  }

  async lease(name: string, signal: AbortSignal | undefined): Promise<Lease> {
    const { onDemand, manager } = this.#parts.engine
    if (onDemand !== undefined) return onDemand.lease(name, { signal })
    manager.find(name, -1)
    return new Lease(name, () => {})
  }

  async poll(): Promise<void> {
    const { poller } = this.#parts.engine
    if (poller === undefined) throw new TritonError('UNAVAILABLE', 'polling is disabled')
    await poller.poll()
  }

  async register(path: string, mapping: Readonly<Record<string, string>>): Promise<void> {
    this.#expectRegistration('registration')
    const { engine, logger, openSource } = this.#parts
    await engine.repository.register(openSource(path), new Map(Object.entries(mapping)))
    logger.info({}, `Model repository registered: ${path}`)
  }

  async unregister(path: string): Promise<void> {
    this.#expectRegistration('unregistration')
    const { engine, logger } = this.#parts
    await engine.repository.unregister(path)
    logger.info({}, `Model repository unregistered: ${path}`)
  }

  /** Whether models are loaded and unloaded by calls. */
  get #isAllowed(): boolean {
    return this.#parts.modelControl === 'explicit' || this.#parts.engine.onDemand !== undefined
  }

  #expectControl(): void {
    if (this.#isAllowed) return
    throw new TritonError('UNAVAILABLE', 'explicit model load / unload is not allowed if polling is enabled')
  }

  #expectRegistration(what: string): void {
    if (this.#isAllowed) return
    const text = `repository ${what} is not allowed if model control mode is not EXPLICIT`
    throw new TritonError('UNSUPPORTED', text)
  }
}
