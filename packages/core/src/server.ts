import { EventEmitter } from 'eventemitter3'
import { diagnostics } from './diagnostics/channels.ts'
import { Engine } from './engine.ts'
import { TritonError } from './errors.ts'
import type { ServerMetadata } from './lifecycle/model-metadata.ts'
import type { ModelIndexEntry } from './lifecycle/model-state.ts'
import type { LoadOptions } from './lifecycle/poll-model.ts'
import type { ServerUnloadOptions, UnloadReport } from './lifecycle/unloading.ts'
import type { LogSettings, LogSettingsChange } from './log/log-settings.ts'
import type { ServerLog } from './log/server-log.ts'
import type { ModelStatistics } from './metrics/model-statistics.ts'
import type { PromClientRegistry } from './metrics/prom-client.ts'
import type { ModelSnapshot, ServerSnapshot } from './metrics/server-snapshot.ts'
import type { MetricsFormat } from './metrics/text-sink.ts'
import { Model } from './model.ts'
import type { Lease } from './on-demand/lease.ts'
import { openSource } from './repository/open-source.ts'
import { PatientSource } from './repository/patient-source.ts'
import type { RepositorySource } from './repository/repository-source.ts'
import { RepositoryControl } from './repository-control.ts'
import type { InferOptions } from './request/infer-options.ts'
import type { InputValue } from './request/input-value.ts'
import { type ResolvedServerOptions, resolveServerOptions } from './resolve-options.ts'
import type { Outputs } from './response/inference-response.ts'
import type { ServerEvents, ServerState } from './server-events.ts'
import type { ServerOptions } from './server-options.ts'
import type { SharedMemory } from './shared-memory/shared-memory.ts'
import { loadStartupModels } from './startup.ts'
import type { InferenceTrace } from './trace/inference-trace.ts'
import type { HeaderReader } from './trace/trace-exporter.ts'
import type { TraceSettings, TraceSettingsChange } from './trace/trace-settings.ts'
import type { TrafficSplit } from './traffic/traffic-split.ts'
import { expectModels } from './traffic/traffic-splits.ts'
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
  readonly #engine: Engine
  readonly #control: RepositoryControl
  #state: ServerState = 'created'
  #stopped: Promise<void> | undefined

  /** @throws TritonError INVALID_ARG for options that contradict each other. */
  constructor(options: ServerOptions = {}) {
    super()
    this.#options = resolveServerOptions(options)
    const openSource = (path: string): RepositorySource => this.#openSource(path)
    this.#engine = new Engine(this.#options, {
      control: this,
      listener: {
        onReady: ({ id, version }) => this.#tell('modelReady', { name: id, version }),
        onUpdated: ({ id, version }) => this.#tell('modelUpdated', { name: id, version }),
        onUnavailable: (name, version, reason) => this.#tell('modelUnavailable', { name, version, reason }),
      },
      openSource,
    })
    const { modelControl, logger } = this.#options
    this.#control = new RepositoryControl({ engine: this.#engine, modelControl, logger, openSource })
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

  /** Memory that other processes share with this Server: regions that requests may name instead of carrying tensors. */
  get sharedMemory(): SharedMemory {
    return this.#engine.sharedMemory
  }

  /**
   * Loads the models that should be there from the start.
   * @throws TritonError INTERNAL `failed to load all models` with one line for each, and INVALID_ARG for a traffic split
   * of a model that is nowhere, unless `exitOnError` is false, CANCELLED after an abort, or what the cache throws that cannot be opened; the Server is stopped then.
   */
  async start({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#state !== 'created') throw new TritonError('INVALID_ARG', 'Server already started')
    this.#setState('starting')
    try {
      const machine = this.#engine.metrics.start()
      await this.#engine.cache?.open(signal)
      await machine
      this.#engine.onDemand?.open()
      await loadStartupModels(this.#engine, this.#options, signal)
    } catch (error) {
      await this.stop().catch((err: unknown) =>
        this.#options.logger.error({ err }, 'the stop of a failed start failed'),
      )
      throw error
    }
    // `stop` may have been called while the models were loading.
    if (!this.isLive()) return
    this.#setState('ready')
    this.#engine.poller?.start()
  }

  /**
   * Refuses new requests, waits up to `exitTimeout` for those in flight, then gives everything back. Later calls return
   * the first one's promise.
   * @throws TritonError INTERNAL when the time is up; the requests left were answered with UNAVAILABLE.
   */
  stop(): Promise<void> {
    if (this.#stopped === undefined) {
      this.#engine.manager.stopAccepting()
      this.#engine.onDemand?.stop()
      this.#stopped = this.#drain()
      // A listener may call `stop` again.
      this.#setState('exiting')
    }
    return this.#stopped
  }

  /**
   * Gives up loads under way, and those that still come: for those who close their endpoints before they call `stop`, and
   * whose clients may wait for a load.
   */
  stopLoading(): void {
    this.#engine.manager.stopLoading()
  }

  async #drain(): Promise<void> {
    const finished = await withDeadline(this.#engine.dispose(), this.#options.exitTimeout * 1000, this.#options.clock)
    this.#setState('stopped')
    if (finished) return
    this.#engine.agents.abandon()
    this.#engine.manager.abandonAll(new TritonError('UNAVAILABLE', 'Server is stopping, the exit timeout expired'))
    throw new TritonError('INTERNAL', 'Exit timeout expired. Exiting immediately.')
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

  /**
   * A handle on a model; it need not be there yet. `version` -1 or none: what the model's traffic split says, and without
   * one the highest that is ready.
   */
  model(name: string, version = -1): Model {
    return new Model(this.#engine.manager, this.#engine.router, this.#engine.onDemand, name, version)
  }

  /**
   * Divides the requests that name no version among the versions of a model; undefined: the highest that is ready has
   * them again. Requests that were sent before stay where they are. Requests whose sequence is live go on in its version.
   * @throws TritonError (as a rejection) INVALID_ARG for weights that are none and for a model that is nowhere; the split
   * stays as it was.
   */
  async setTrafficSplit(name: string, split: TrafficSplit | undefined): Promise<void> {
    if (split !== undefined && !this.#engine.manager.isKnown(name))
      expectModels([name], await this.#engine.repository.list())
    this.#engine.splits.set(name, split)
  }

  /** The traffic split of a model, if it has one. */
  trafficSplit(name: string): TrafficSplit | undefined {
    return this.#engine.splits.get(name)
  }

  /**
   * Loads or reloads a model; resolves when all its versions serve. An ensemble's steps are loaded before it, and when a
   * model that ensembles need is loaded anew, so are they. Only with `modelControl: 'explicit'` and `'on-demand'`; with
   * that the model then stays until `unload`.
   * @throws TritonError with Triton's texts; what served before goes on.
   */
  async load(name: string, options: LoadOptions = {}): Promise<void> {
    this.#expectRunning()
    await this.#control.load(name, options)
  }

  /**
   * Takes a model out of service, and with it the ensembles that need it; requests in flight finish. An unknown model
   * is no error. Only with `modelControl: 'explicit'` and `'on-demand'`; with that its next request loads it again.
   * @throws TritonError CANCELLED when the signal is aborted while it waits; the unload goes on.
   */
  async unload(name: string, options: ServerUnloadOptions = {}): Promise<UnloadReport> {
    this.#expectRunning()
    return this.#control.unload(name, options)
  }

  /**
   * Keeps a model there until the lease is disposed: `await using lease = await server.lease('m')`. With `modelControl:
   * 'on-demand'` it is loaded first, if need be, and not evicted meanwhile. Only `unload` takes it away all the same.
   * @throws TritonError as requests that need the model.
   */
  async lease(name: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Lease> {
    this.#expectRunning()
    return this.#control.lease(name, signal)
  }

  /**
   * Looks at the repositories now, and resolves when what has changed is loaded or unloaded; what fails is logged. A
   * model whose files still change waits for the next look. Only with `modelControl: 'poll'`.
   * @throws TritonError UNAVAILABLE `polling is disabled`, CANCELLED when the Server stops meanwhile.
   */
  async poll(): Promise<void> {
    this.#expectRunning()
    await this.#control.poll()
  }

  /**
   * Adds a repository, whose models can then be loaded. Only with `modelControl: 'explicit'`.
   * @param mapping directories in it by the name that their models are to have instead; they lose their own.
   * @throws TritonError UNSUPPORTED, INVALID_ARG or ALREADY_EXISTS with Triton's texts.
   */
  async registerModelRepository(path: string, mapping: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#expectRunning()
    await this.#control.register(path, mapping)
  }

  /**
   * Forgets a repository; its models stay as they are. Only with `modelControl: 'explicit'`.
   * @throws TritonError UNSUPPORTED or INVALID_ARG with Triton's texts.
   */
  async unregisterModelRepository(path: string): Promise<void> {
    this.#expectRunning()
    await this.#control.unregister(path)
  }

  /** Whether the process answers at all: from the start of loading until `stop`. */
  isLive(): boolean {
    return this.#state === 'starting' || this.#state === 'ready'
  }

  /** Whether requests can be served; with strict readiness every known model must be ready, backends asked. */
  async isReady(): Promise<boolean> {
    return this.#state === 'ready' && (!this.#options.strictReadiness || (await this.#engine.isReady()))
  }

  /** Every model in the repositories with its versions and states, read afresh. `ready`: only what serves. */
  async index({ ready = false }: { readonly ready?: boolean | undefined } = {}): Promise<ModelIndexEntry[]> {
    this.#expectRunning()
    return this.#engine.manager.index(ready)
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
    return this.#engine.statistics(name, version)
  }

  /** The page of metrics, in the text format of Prometheus or in OpenMetrics. Of thousands of models it takes a while. */
  metrics({ format = 'prometheus' }: { readonly format?: MetricsFormat | undefined } = {}): string {
    return [...this.#engine.metrics.text(format)].join('')
  }

  /** The same page in parts, each made when it is asked for, in a millisecond or so: for those who let others in between. */
  metricsInParts({ format = 'prometheus' }: { readonly format?: MetricsFormat | undefined } = {}): Iterable<string> {
    return this.#engine.metrics.text(format)
  }

  /**
   * Adds all metrics to a registry of prom-client, whose page then has them, until what is returned is called.
   * @throws TritonError ALREADY_EXISTS when the registry has a metric of one of the names, those of another Server for
   * instance.
   */
  registerMetrics(registry: PromClientRegistry): () => void {
    const metrics = this.#engine.metrics.registerIn(registry)
    return () => metrics.dispose()
  }

  /** The numbers behind the metrics as objects, as they are now: for dashboards. Of thousands of models it takes a while. */
  snapshot(): ServerSnapshot {
    return { ...this.snapshotInParts(), models: [...this.#engine.metrics.models()] }
  }

  /** The same with models that are looked at when they are asked for: for those who let others in between. */
  snapshotInParts(): Omit<ServerSnapshot, 'models'> & { readonly models: Iterable<ModelSnapshot> } {
    const { metrics } = this.#engine
    return {
      time: this.#options.clock.wallTime(),
      state: this.#state,
      models: metrics.models(),
      eventLoopDelay: metrics.eventLoopDelay,
    }
  }

  /**
   * The trace of a client's request, for what serves the Server: it goes into `InferRequest.trace`, and has to be
   * `release`d. Undefined, at once where tracing is off: the request is not to be traced, so that `trace` is null.
   * @param header the value of a header of the request, by its name in lower case: W3C trace context is found there.
   */
  startTrace(modelName: string, header?: HeaderReader): InferenceTrace | undefined {
    return this.#engine.tracer.start(modelName, header)
  }

  /** What is traced of a model, or of those that have no settings of their own. */
  traceSettings(modelName = ''): TraceSettings {
    return this.#engine.tracer.settings(modelName)
  }

  /**
   * Changes what is traced from now on, of one model or of all that have no settings of their own. Requests are counted
   * from the start then; traces that have begun end by the settings with which they began.
   * @returns the settings now.
   * @throws TritonError INVALID_ARG with Triton's texts; everything stays as it was.
   */
  updateTraceSettings(change: TraceSettingsChange, modelName = ''): TraceSettings {
    this.#engine.tracer.update(change, modelName)
    return this.traceSettings(modelName)
  }

  /** Where the Server logs, with its switches; for what serves it, such as adapters. It never throws. */
  get logger(): ServerLog {
    return this.#options.logger
  }

  /** What is logged, and how. */
  logSettings(): LogSettings {
    return this.#options.logger.settings
  }

  /**
   * Changes what is logged from now on; Servers that share a `tritonLog` share its settings.
   * @returns the settings now.
   * @throws TritonError UNSUPPORTED for the file, and for the format of a logger that the application passed;
   * INVALID_ARG for a format that there is not. Nothing has changed then.
   */
  updateLogSettings(change: LogSettingsChange): LogSettings {
    return this.#options.logger.update(change)
  }

  #expectRunning(): void {
    if (!this.isLive()) throw new TritonError('UNAVAILABLE', 'Server not ready')
  }

  #openSource(path: string): RepositorySource {
    const { cloudCache: cache, clock, logger } = this.#options
    const source = openSource(path, {
      cache,
      clock,
      logger,
      onProgress: (progress) => this.#tell('downloadProgress', progress),
    })
    return new PatientSource(source, clock)
  }

  #setState(state: ServerState): void {
    this.#state = state
    this.#tell('stateChange', state)
  }

  /** What a listener throws is logged and stops nothing. */
  #tell<Event extends keyof ServerEvents>(event: Event, ...args: EventEmitter.EventArgs<ServerEvents, Event>): void {
    diagnostics.server[event].publish(args[0])
    try {
      this.emit(event, ...args)
    } catch (err) {
      this.#options.logger.error({ err }, `a listener of '${event}' threw`)
    }
  }
}
