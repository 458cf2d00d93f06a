import { RepositoryAgents } from './agent/repository-agents.ts'
import { CacheGuard } from './cache/cache-guard.ts'
import { TritonError } from './errors.ts'
import { RateLimiter } from './instance/rate-limiter.ts'
import type { LoadContext } from './lifecycle/load-version.ts'
import type { LifecycleListener } from './lifecycle/model-entries.ts'
import { ModelManager } from './lifecycle/model-manager.ts'
import type { PollOptions } from './lifecycle/poll-model.ts'
import { VersionLoader } from './lifecycle/version-loader.ts'
import { MetricCollectors } from './metrics/metric-collectors.ts'
import type { ModelStatistics } from './metrics/model-statistics.ts'
import { ServerMetrics } from './metrics/server-metrics.ts'
import { NestedServer, type ServerControl } from './nested-server.ts'
import { createOnDemand } from './on-demand/create-on-demand.ts'
import type { OnDemand } from './on-demand/on-demand.ts'
import { RepositoryPoller } from './polling/repository-poller.ts'
import { ModelRepository } from './repository/model-repository.ts'
import type { RepositorySource } from './repository/repository-source.ts'
import type { ResolvedServerOptions } from './resolve-options.ts'
import { backgroundClock } from './revival/background-clock.ts'
import { SharedMemory } from './shared-memory/shared-memory.ts'
import { Tracer } from './trace/tracer.ts'
import { RequestRouter } from './traffic/request-router.ts'
import { TrafficSplits } from './traffic/traffic-splits.ts'
import { AbortFollowers } from './util/abort-followers.ts'
import { systemClock } from './util/clock.ts'

/** What the engine asks of the Server that owns it. */
export interface EngineOwner {
  /** The Server for the code of models. */
  readonly control: ServerControl
  readonly listener: LifecycleListener
  openSource(path: string): RepositorySource
}

/** The parts of a Server. It owns the repository, the cache, the agents, the poller and the manager. */
export class Engine {
  readonly collectors: MetricCollectors
  readonly metrics: ServerMetrics
  readonly sharedMemory: SharedMemory
  readonly cache: CacheGuard | undefined
  readonly tracer: Tracer
  readonly agents: RepositoryAgents
  readonly repository: ModelRepository
  readonly splits: TrafficSplits
  readonly manager: ModelManager
  readonly router: RequestRouter
  /** With `modelControl: 'on-demand'`. */
  readonly onDemand: OnDemand | undefined
  /** With `modelControl: 'poll'`. */
  readonly poller: RepositoryPoller | undefined

  constructor(options: ResolvedServerOptions, owner: EngineOwner) {
    const { clock, logger, cache, loadConcurrency, modelControl } = options
    this.collectors = new MetricCollectors(logger)
    this.metrics = new ServerMetrics({
      ...options,
      collectors: this.collectors,
      models: () => this.manager.eachReady(),
    })
    this.sharedMemory = new SharedMemory(options.cudaMemory, logger)
    this.cache = cache && new CacheGuard(cache, clock, logger)
    this.tracer = new Tracer(options.trace, clock, logger)
    this.agents = new RepositoryAgents(options.repositoryAgents, loadConcurrency, logger)
    const sources = options.repositories.map((path) => owner.openSource(path))
    this.repository = new ModelRepository(sources, options.models, options.modelNamespacing)
    this.splits = new TrafficSplits(options.trafficSplit)
    this.collectors.add(() => this.splits.collect())
    const { repository, agents } = this
    const poll: PollOptions = { ...options, repository, agents }
    const context = this.#loadContext(options, owner.control)
    const versions = new VersionLoader(context, loadConcurrency, options.loadRetries)
    this.manager = new ModelManager(poll, context, versions, owner.listener)
    this.router = new RequestRouter(this.manager, this.splits)
    if (modelControl === 'on-demand') this.onDemand = this.#onDemand(options, poll, context)
    if (modelControl === 'poll') this.poller = this.#poller(options)
  }

  #loadContext(options: ResolvedServerOptions, control: ServerControl): LoadContext {
    const { rateLimit, rateLimitResources } = options
    return {
      ...options,
      cache: this.cache,
      tracer: this.tracer,
      rateLimiter: rateLimit === 'off' ? undefined : new RateLimiter(rateLimitResources),
      signals: new AbortFollowers(),
      models: { find: (name, version) => this.manager.find(name, version) },
      server: (model, phase) => new NestedServer(control, this.manager, this.router, this.onDemand, model, phase),
      collectMetrics: (collector) => this.collectors.add(collector),
      gpuUuid: (id) => this.metrics.gpuUuid(id),
    }
  }

  #onDemand(
    { memoryBudget: budget, memoryOf, clock, logger }: ResolvedServerOptions,
    poll: PollOptions,
    { signals }: LoadContext,
  ): OnDemand {
    const onDemand = createOnDemand({ manager: this.manager, poll, budget, memoryOf, clock, logger, signals })
    this.collectors.add(onDemand.collect)
    return onDemand
  }

  #poller({ pollInterval: interval, settleTime, clock, logger }: ResolvedServerOptions): RepositoryPoller {
    const { repository, manager } = this
    const background = clock === systemClock ? backgroundClock : clock
    return new RepositoryPoller({ repository, manager, interval, settleTime, clock, background, logger })
  }

  /** Whether every known model is. With models on demand, one that cannot be loaded is a matter of those who ask for it. */
  async isReady(): Promise<boolean> {
    if (this.onDemand === undefined) return this.manager.isReady()
    const ready = await Promise.all(this.manager.ready.map((model) => model.isReady()))
    return ready.every(Boolean)
  }

  /** Of one model, one version, or everything that is ready. @throws TritonError INVALID_ARG for what is not there. */
  statistics(name: string, version: number): ModelStatistics[] {
    if (name === '') return this.manager.ready.map((model) => model.statistics())
    const versions = this.manager.readyVersions(name)
    if (versions.length === 0) throw new TritonError('INVALID_ARG', `requested model '${name}' is not available`)
    const wanted = versions.filter((model) => version === -1 || model.version === version)
    if (wanted.length > 0) return wanted.map((model) => model.statistics())
    throw new TritonError('INVALID_ARG', `requested model version is not available for model '${name}'`)
  }

  /** Waits for the requests in flight, then gives everything back. */
  async dispose(): Promise<void> {
    try {
      await this.poller?.stop()
      await this.manager.dispose()
      await this.agents.settled()
    } finally {
      this.metrics.stop()
      this.sharedMemory.dispose()
      await this.tracer.dispose()
      await this.cache?.dispose()
      await this.repository.dispose()
    }
  }
}
