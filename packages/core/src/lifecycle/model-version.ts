import type { BackendModel } from '../backend/backend.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { RequestReports } from '../diagnostics/request-reports.ts'
import type { TritonError } from '../errors.ts'
import type { BatchMember } from '../instance/batch-member.ts'
import { type InstanceChange, InstanceSet } from '../instance/instance-set.ts'
import type { ModelInstance } from '../instance/model-instance.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import { LoadMeter } from '../metrics/load-meter.ts'
import { addUpMemory } from '../metrics/memory-usage.ts'
import type { MemoryUsage, ModelStatistics } from '../metrics/model-statistics.ts'
import { statisticsSnapshot } from '../metrics/statistics-snapshot.ts'
import type { Labels } from '../repository/label-file.ts'
import type { RoutedRequest } from '../request/infer-request.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import { type ModelSignature, modelSignature } from '../request/model-signature.ts'
import type { RequestOwner } from '../request/request-owner.ts'
import type { ResponseListener } from '../response/response-listener.ts'
import { createScheduler } from '../scheduler/create-scheduler.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { SchedulerParts } from '../scheduler/scheduler-parts.ts'
import type { Tracer } from '../trace/tracer.ts'
import type { AbortFollowers } from '../util/abort-followers.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { LoadPhase } from './load-phase.ts'
import { RequestIntake } from './request-intake.ts'
import { RequestsInFlight } from './requests-in-flight.ts'

/** What a loaded model version is made of. */
export interface ModelVersionParts extends SchedulerParts {
  /** What the engine knows its model by. */
  readonly id: string
  /** The path of its repository where names are told apart by that; else ''. */
  readonly namespace: string
  readonly version: number
  readonly labels: Labels
  /** All of them, also those that take no requests. */
  readonly instances: readonly ModelInstance[]
  readonly signals: AbortFollowers
  /** Default: nothing is traced. */
  readonly tracer?: Tracer | undefined
  /** Seconds that its load took. Default 0. */
  readonly loadDuration?: number | undefined
  /** Least milliseconds over which its load is a mean. Default 2000. */
  readonly metricsInterval?: number | undefined
  /** Default: it is not being loaded. */
  readonly phase?: LoadPhase | undefined
}

/** A loaded model version. It owns its instances and lives until its last request is answered. */
export class ModelVersion implements RequestOwner {
  readonly id: string
  readonly namespace: string
  readonly name: string
  readonly version: number
  readonly labels: Labels
  readonly signature: ModelSignature
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly signals: AbortFollowers
  readonly tracer: Tracer | undefined
  readonly reports: RequestReports
  /** What its instances come from; it disposes it after them. */
  readonly backendModel: BackendModel
  readonly phase: LoadPhase
  readonly loadDuration: number
  /** How much it has to do; an ensemble leaves that to its steps. */
  readonly load: LoadMeter | undefined
  readonly #logger: Logger
  #config: ModelConfig
  readonly #instances: InstanceSet
  readonly #scheduler: Scheduler
  readonly #inflight = new RequestsInFlight()
  readonly #intake: RequestIntake
  #onGone!: () => void
  readonly #gone = new Promise<void>((resolve) => {
    this.#onGone = resolve
  })

  constructor(parts: ModelVersionParts) {
    const { version, config, labels, backendModel, instances, stats, clock, logger, signals } = parts
    this.phase = parts.phase ?? new LoadPhase()
    this.#logger = logger
    this.id = parts.id
    this.namespace = parts.namespace
    this.name = config.name
    this.version = version
    this.#config = config
    this.labels = labels
    this.signature = modelSignature(config)
    this.stats = stats
    this.clock = clock
    this.signals = signals
    this.tracer = parts.tracer
    this.reports = new RequestReports(config.name, version, logger)
    this.backendModel = backendModel
    this.#scheduler = createScheduler({ ...parts, instances: instances.filter(({ isPassive }) => !isPassive) })
    this.#instances = new InstanceSet(instances, this.#scheduler, logger)
    this.#intake = new RequestIntake(this, this.#scheduler, this.#inflight)
    this.loadDuration = parts.loadDuration ?? 0
    this.load = parts.ensemble === undefined ? new LoadMeter(this, parts.metricsInterval ?? 2000) : undefined
  }

  /** Completed, normalised and valid; `changeInstances` replaces it. */
  get config(): ModelConfig {
    return this.#config
  }

  get instances(): readonly ModelInstance[] {
    return this.#instances.current
  }

  /**
   * Goes on with other instances, while requests come and run.
   * @param config differs from the one before in its instance groups and version policy.
   */
  changeInstances(config: ModelConfig, change: InstanceChange): void {
    this.#config = config
    this.#instances.change(change)
  }

  /**
   * Checks a request and hands it to the scheduler; the listener hears the rest.
   * @throws TritonError when the request is not taken; the listener then hears nothing.
   */
  send(request: RoutedRequest, listener: ResponseListener): InferenceRequest {
    return this.#intake.send(request, listener)
  }

  /**
   * The same for a request of another model's code. It is taken while the Server stops, too, since a request in flight
   * may wait for it; only new sequences are not.
   */
  sendNested(
    request: RoutedRequest,
    listener: ResponseListener,
    parent?: InferenceRequest,
    servesBatch?: boolean,
  ): InferenceRequest {
    return this.#intake.sendNested(request, listener, parent, servesBatch)
  }

  withdraw(request: InferenceRequest): boolean {
    return this.#scheduler.withdraw(request)
  }

  reschedule(request: InferenceRequest): void {
    this.#scheduler.reschedule?.(request)
  }

  release(request: InferenceRequest): void {
    this.#inflight.remove(request)
    this.#scheduler.released?.(request)
  }

  get runs(): readonly (readonly BatchMember[] | undefined)[] {
    return this.instances.filter(({ isPassive }) => !isPassive).map(({ running }) => running)
  }

  /** Whether a sequence of that id has begun and not ended. */
  hasSequence(id: bigint | string): boolean {
    return this.#scheduler.hasSequence?.(id) ?? false
  }

  get inflight(): number {
    return this.#inflight.count
  }

  /** An ensemble may still send it requests: it is not disposed until `letGo` was called as often. */
  hold(): void {
    this.#inflight.hold()
  }

  letGo(): void {
    this.#inflight.letGo()
  }

  /** Whether no request is in flight and no ensemble may send one. */
  get isIdle(): boolean {
    return this.#inflight.isIdle
  }

  /** Whether any sequence is live. */
  get hasSequences(): boolean {
    return this.#scheduler.hasSequences ?? false
  }

  /** Whether it is idle, and no sequence is live. */
  get isUnused(): boolean {
    return this.isIdle && !this.hasSequences
  }

  /** What was counted so far, and the memory that its backend tells of. */
  statistics(): ModelStatistics {
    return statisticsSnapshot(this.stats, this.name, this.version, addUpMemory(this.memoryUsage()))
  }

  /** What its backend tells; logged and empty when it fails. */
  memoryUsage(): readonly MemoryUsage[] {
    try {
      return this.backendModel.memoryUsage?.() ?? []
    } catch (err) {
      const { name, version } = this
      this.#logger.error({ err, model: name, version }, `model '${name}' cannot tell its memory usage`)
      return []
    }
  }

  /** Whether every instance says that it can serve. */
  isReady(): Promise<boolean> {
    return this.#instances.isReady()
  }

  /** From now on every new request is refused, but for those of sequences that have begun. */
  stopAccepting(): void {
    this.#intake.stop()
  }

  /** Resolves when no request is in flight, no ensemble may send one and no sequence is live. */
  async drained(): Promise<void> {
    await this.#scheduler.drained?.()
    await this.#inflight.idle()
  }

  /** Answers every request in flight with `error` at once. */
  abandonAll(error: TritonError): void {
    this.#scheduler.rejectWaiting((request) => request.reject(error, 'REJECTED'))
    for (const request of this.#inflight.all) request.abandon(error, 'OTHER')
  }

  /** Resolves, whatever happened, when everything was given back. */
  get gone(): Promise<void> {
    return this.#gone
  }

  /**
   * Waits for the requests in flight, then gives everything back. Nobody finds the version any more, so sequences need
   * not be waited for. Called once, by the owner.
   */
  async dispose(): Promise<void> {
    this.stopAccepting()
    this.#scheduler.endSequences?.()
    await this.drained()
    try {
      try {
        await this.#instances.dispose()
      } finally {
        await this.backendModel.dispose()
      }
    } finally {
      this.#onGone()
    }
  }
}
