import { EventEmitter } from 'eventemitter3'
import type { UnloadOptions } from './backend/backend-server.ts'
import { CacheGuard } from './cache/cache-guard.ts'
import { errorDetail, TritonError } from './errors.ts'
import { RateLimiter } from './instance/rate-limiter.ts'
import type { LoadContext } from './lifecycle/load-version.ts'
import { ModelManager } from './lifecycle/model-manager.ts'
import type { ServerMetadata } from './lifecycle/model-metadata.ts'
import type { ModelIndexEntry } from './lifecycle/model-state.ts'
import type { LoadOptions } from './lifecycle/poll-model.ts'
import { VersionLoader } from './lifecycle/version-loader.ts'
import { MetricCollectors } from './metrics/metric-collectors.ts'
import type { ModelStatistics } from './metrics/model-statistics.ts'
import { renderMetrics } from './metrics/prometheus-text.ts'
import { Model } from './model.ts'
import { NestedServer } from './nested-server.ts'
import { LocalSource } from './repository/local-source.ts'
import { ModelRepository } from './repository/model-repository.ts'
import type { InferOptions } from './request/infer-options.ts'
import type { InputValue } from './request/input-value.ts'
import type { Outputs } from './response/inference-response.ts'
import type { ServerEvents, ServerState } from './server-events.ts'
import { type ResolvedServerOptions, resolveServerOptions, type ServerOptions } from './server-options.ts'
import { AbortFollowers } from './util/abort-followers.ts'
import { withDeadline } from './util/deadline.ts'
import { protocolExtensions, version } from './version.ts'

/**
 * The serving engine in this process. The constructor is cheap; `start` loads models, `stop` drains. Several Servers
 * may live in one process.
 *
 * ```ts
 * await using server = await Server.start({ modelRepository: './models', backends: [onnx()] })
 * const { logits } = await server.infer('efficientnet', { image: tensor('FP32', [1, 3, 224, 224], pixels) })
 * ```
 */
export class Server extends EventEmitter<ServerEvents> {
  readonly #options: ResolvedServerOptions
  readonly #repository: ModelRepository
  readonly #manager: ModelManager
  readonly #cache: CacheGuard | undefined
  readonly #collectors: MetricCollectors
  #state: ServerState = 'created'
  #stopped: Promise<void> | undefined

  /** @throws TritonError INVALID_ARG for options that contradict each other. */
  constructor(options: ServerOptions = {}) {
    super()
    this.#options = resolveServerOptions(options)
    const { backends, finders, clock, logger, backendConfig, configName, modelConfigs, autoComplete, gpus } =
      this.#options
    const { hostPolicies, rateLimit, rateLimitResources, cache } = this.#options
    this.#collectors = new MetricCollectors(logger)
    this.#cache = cache && new CacheGuard(cache, clock, logger)
    this.#repository = new ModelRepository(
      this.#options.repositories.map((path) => new LocalSource(path)),
      this.#options.models,
    )
    const context: LoadContext = {
      backends,
      finders,
      backendConfig,
      autoComplete,
      gpus,
      hostPolicies,
      rateLimiter: rateLimit === 'off' ? undefined : new RateLimiter(rateLimitResources),
      cache: this.#cache,
      clock,
      logger,
      signals: new AbortFollowers(),
      models: { find: (name, version) => this.#manager.find(name, version) },
      server: (model, phase) => new NestedServer(this, this.#manager, model, phase),
      collectMetrics: (collector) => this.#collectors.add(collector),
    }
    this.#manager = new ModelManager(
      { repository: this.#repository, configName, modelConfigs, autoComplete },
      context,
      new VersionLoader(context, this.#options.loadConcurrency, this.#options.loadRetries),
      {
        onReady: ({ name, version }) => this.#tell('modelReady', { name, version }),
        onUnavailable: (name, version, reason) => this.#tell('modelUnavailable', { name, version, reason }),
      },
    )
  }

  /** Makes a Server and starts it. */
  static async start(options: ServerOptions = {}): Promise<Server> {
    const server = new Server(options)
    await server.start()
    return server
  }

  get state(): ServerState {
    return this.#state
  }

  /**
   * Loads the models that should be there from the start.
   * @throws TritonError INTERNAL `failed to load all models` with one line for each, unless `exitOnError` is false,
   * CANCELLED after an abort, or what the cache throws that cannot be opened; the Server is stopped then.
   */
  async start({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#state !== 'created') throw new TritonError('INVALID_ARG', 'Server already started')
    this.#setState('starting')
    try {
      await this.#cache?.open(signal)
      await this.#loadStartupModels(signal)
    } catch (error) {
      await this.stop().catch((err: unknown) =>
        this.#options.logger.error({ err }, 'the stop of a failed start failed'),
      )
      throw error
    }
    // `stop` may have been called while the models were loading.
    if (this.isLive()) this.#setState('ready')
  }

  async #loadStartupModels(signal: AbortSignal | undefined): Promise<void> {
    const { modelControl, loadModels, exitOnError } = this.#options
    const all = await this.#repository.names()
    const names = modelControl === 'none' || loadModels[0] === '*' ? all : loadModels
    const failures = await this.#manager.loadEach(names, signal)
    if (signal?.aborted) throw new TritonError('CANCELLED', 'the start was given up', { cause: signal.reason })
    if (failures.size === 0 || !exitOnError) return
    const lines = [...failures].map(([name, error]) => `'${name}': ${errorDetail(error)}`)
    throw new TritonError('INTERNAL', ['failed to load all models', ...lines].join('\n'), {
      cause: failures.size === 1 ? [...failures.values()][0] : new AggregateError(failures.values()),
    })
  }

  /**
   * Refuses new requests, waits up to `exitTimeout` for those in flight, then gives everything back. Later calls return
   * the first one's promise.
   * @throws TritonError INTERNAL when the time is up; the requests left were answered with UNAVAILABLE.
   */
  stop(): Promise<void> {
    if (this.#stopped === undefined) {
      this.#manager.stopAccepting()
      this.#stopped = this.#drain()
      // A listener may call `stop` again.
      this.#setState('exiting')
    }
    return this.#stopped
  }

  async #drain(): Promise<void> {
    const finished = await withDeadline(this.#dispose(), this.#options.exitTimeout * 1000, this.#options.clock)
    this.#setState('stopped')
    if (finished) return
    this.#manager.abandonAll(new TritonError('UNAVAILABLE', 'Server is stopping, the exit timeout expired'))
    throw new TritonError('INTERNAL', 'Exit timeout expired. Exiting immediately.')
  }

  async #dispose(): Promise<void> {
    try {
      await this.#manager.dispose()
    } finally {
      await this.#cache?.dispose()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Short for `server.model(name, options.version).infer(inputs, options)`. */
  infer(name: string, inputs: Readonly<Record<string, InputValue>>, options: InferOptions = {}): Promise<Outputs> {
    return this.model(name, options.version).infer(inputs, options)
  }

  /** Short for `server.model(name, options.version).inferStream(inputs, options)`. */
  inferStream(
    name: string,
    inputs: Readonly<Record<string, InputValue>>,
    options: InferOptions = {},
  ): AsyncIterable<Outputs> {
    return this.model(name, options.version).inferStream(inputs, options)
  }

  /** A handle on a model; it need not be there yet. `version` -1 or none: the highest that is ready. */
  model(name: string, version = -1): Model {
    return new Model(this.#manager, name, version)
  }

  /**
   * Loads or reloads a model; resolves when all its versions serve. An ensemble's steps are loaded before it, and when a
   * model that ensembles need is loaded anew, so are they. Only with `modelControl: 'explicit'`.
   * @throws TritonError with Triton's texts; what served before goes on.
   */
  async load(name: string, options: LoadOptions = {}): Promise<void> {
    this.#expectControl()
    await this.#manager.load(name, options)
  }

  /**
   * Takes a model out of service, and with it the ensembles that need it; requests in flight finish. An unknown model
   * is no error. Only with `modelControl: 'explicit'`.
   */
  async unload(name: string, options: UnloadOptions = {}): Promise<void> {
    this.#expectControl()
    await this.#manager.unload(name, options)
  }

  /** Whether the process answers at all: from the start of loading until `stop`. */
  isLive(): boolean {
    return this.#state === 'starting' || this.#state === 'ready'
  }

  /** Whether requests can be served; with strict readiness every known model must be ready, backends asked. */
  async isReady(): Promise<boolean> {
    return this.#state === 'ready' && (!this.#options.strictReadiness || (await this.#manager.isReady()))
  }

  /** Every model in the repositories with its versions and states, read afresh. `ready`: only what serves. */
  async index({ ready = false }: { readonly ready?: boolean | undefined } = {}): Promise<ModelIndexEntry[]> {
    this.#expectRunning()
    return this.#manager.index(ready)
  }

  metadata(): ServerMetadata {
    return { name: this.#options.id, version, extensions: protocolExtensions }
  }

  /**
   * Statistics of one model, one version, or everything that is ready.
   * @throws TritonError INVALID_ARG for a model or version that is not there, UNAVAILABLE once the Server stops.
   */
  statistics(name = '', version = -1): ModelStatistics[] {
    this.#expectRunning()
    if (name === '') return this.#manager.ready.map((model) => model.statistics())
    const versions = this.#manager.readyVersions(name)
    if (versions.length === 0) throw new TritonError('INVALID_ARG', `requested model '${name}' is not available`)
    const wanted = versions.filter((model) => version === -1 || model.version === version)
    if (wanted.length > 0) return wanted.map((model) => model.statistics())
    throw new TritonError('INVALID_ARG', `requested model version is not available for model '${name}'`)
  }

  /** The `nv_inference_*` and `nv_cache_*` families, then those of backends, in Prometheus text format. */
  metrics(): string {
    return renderMetrics(
      this.#manager.ready.map(({ name, version, stats, config }) => ({
        name,
        version,
        stats,
        isCached: config.responseCache?.enable ?? false,
        tags: config.metricTags,
      })),
      this.#collectors.collect(),
      this.#options.logger,
    )
  }

  #expectRunning(): void {
    if (!this.isLive()) throw new TritonError('UNAVAILABLE', 'Server not ready')
  }

  #expectControl(): void {
    this.#expectRunning()
    if (this.#options.modelControl === 'explicit') return
    throw new TritonError('UNAVAILABLE', 'explicit model load / unload is not allowed if polling is enabled')
  }

  #setState(state: ServerState): void {
    this.#state = state
    this.#tell('stateChange', state)
  }

  /** What a listener throws is logged and stops nothing. */
  #tell<Event extends keyof ServerEvents>(event: Event, ...args: EventEmitter.EventArgs<ServerEvents, Event>): void {
    try {
      this.emit(event, ...args)
    } catch (err) {
      this.#options.logger.error({ err }, `a listener of '${event}' threw`)
    }
  }
}
