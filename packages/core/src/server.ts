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
import { RepositoryPoller } from './lifecycle/repository-poller.ts'
import { VersionLoader } from './lifecycle/version-loader.ts'
import { MetricCollectors } from './metrics/metric-collectors.ts'
import type { ModelStatistics } from './metrics/model-statistics.ts'
import { renderMetrics } from './metrics/prometheus-text.ts'
import { Model } from './model.ts'
import { NestedServer } from './nested-server.ts'
import { checkModelName } from './repository/model-name.ts'
import { ModelRepository } from './repository/model-repository.ts'
import { openSource } from './repository/open-source.ts'
import type { InferOptions } from './request/infer-options.ts'
import type { InputValue } from './request/input-value.ts'
import type { Outputs } from './response/inference-response.ts'
import { backgroundClock } from './revival/background-clock.ts'
import type { ServerEvents, ServerState } from './server-events.ts'
import { type ResolvedServerOptions, resolveServerOptions, type ServerOptions } from './server-options.ts'
import { AbortFollowers } from './util/abort-followers.ts'
import { systemClock } from './util/clock.ts'
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
  readonly #poller: RepositoryPoller | undefined
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
      this.#options.repositories.map(openSource),
      this.#options.models,
      this.#options.modelNamespacing,
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
        onReady: ({ id, version }) => this.#tell('modelReady', { name: id, version }),
        onUnavailable: (name, version, reason) => this.#tell('modelUnavailable', { name, version, reason }),
      },
    )
    const { modelControl, pollInterval: interval, settleTime } = this.#options
    if (modelControl !== 'poll') return
    const background = clock === systemClock ? backgroundClock : clock
    const repository = this.#repository
    const parts = { repository, manager: this.#manager, interval, settleTime, clock: background, logger }
    this.#poller = new RepositoryPoller(parts)
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
    if (!this.isLive()) return
    this.#setState('ready')
    this.#poller?.start()
  }

  async #loadStartupModels(signal: AbortSignal | undefined): Promise<void> {
    const failures = await this.#manager.loadEach(await this.#startupModels(), { signal })
    if (signal?.aborted) throw new TritonError('CANCELLED', 'the start was given up', { cause: signal.reason })
    if (failures.size === 0 || !this.#options.exitOnError) return
    const lines = [...failures].map(([name, error]) => `'${name}': ${errorDetail(error)}`)
    throw new TritonError('INTERNAL', ['failed to load all models', ...lines].join('\n'), {
      cause: failures.size === 1 ? [...failures.values()][0] : new AggregateError(failures.values()),
    })
  }

  /** The ids of the models to load at the start. */
  async #startupModels(): Promise<string[]> {
    const { modelControl, loadModels } = this.#options
    // Also where few are wanted: a repository that cannot be read is told at the start.
    const all = await this.#repository.list()
    if (modelControl !== 'explicit' || loadModels[0] === '*') return all.map(({ id }) => id)
    for (const name of loadModels) checkModelName(name)
    return (await Promise.all(loadModels.map((name) => this.#repository.idsOf(name)))).flat()
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
      await this.#poller?.stop()
      await this.#manager.dispose()
    } finally {
      await this.#cache?.dispose()
      await this.#repository.dispose()
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

  /**
   * Looks at the repositories now, and resolves when what has changed is loaded or unloaded; what fails is logged. A
   * model whose files still change waits for the next look. Only with `modelControl: 'poll'`.
   * @throws TritonError UNAVAILABLE `polling is disabled`, CANCELLED when the Server stops meanwhile.
   */
  async poll(): Promise<void> {
    this.#expectRunning()
    if (this.#poller === undefined) throw new TritonError('UNAVAILABLE', 'polling is disabled')
    await this.#poller.poll()
  }

  /**
   * Adds a repository, whose models can then be loaded. Only with `modelControl: 'explicit'`.
   * @param mapping directories in it by the name that their models are to have instead; they lose their own.
   * @throws TritonError UNSUPPORTED, INVALID_ARG or ALREADY_EXISTS with Triton's texts.
   */
  async registerModelRepository(path: string, mapping: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#expectRegistration('registration')
    await this.#repository.register(openSource(path), new Map(Object.entries(mapping)))
    this.#options.logger.info({}, `Model repository registered: ${path}`)
  }

  /**
   * Forgets a repository; its models stay as they are. Only with `modelControl: 'explicit'`.
   * @throws TritonError UNSUPPORTED or INVALID_ARG with Triton's texts.
   */
  async unregisterModelRepository(path: string): Promise<void> {
    this.#expectRegistration('unregistration')
    await this.#repository.unregister(path)
    this.#options.logger.info({}, `Model repository unregistered: ${path}`)
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
      this.#manager.ready.map(({ name, namespace, version, stats, config }) => ({
        name,
        namespace,
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

  #expectRegistration(what: string): void {
    this.#expectRunning()
    if (this.#options.modelControl === 'explicit') return
    const text = `repository ${what} is not allowed if model control mode is not EXPLICIT`
    throw new TritonError('UNSUPPORTED', text)
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
