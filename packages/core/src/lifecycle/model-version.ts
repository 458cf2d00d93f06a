import type { BackendModel } from '../backend/backend.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import type { ModelInstance } from '../instance/model-instance.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { Labels } from '../repository/label-file.ts'
import type { InferRequest } from '../request/infer-request.ts'
import { InferenceRequest, type RequestOwner } from '../request/inference-request.ts'
import { type ModelSignature, modelSignature } from '../request/model-signature.ts'
import { requestPrefix, validateRequest } from '../request/validate-request.ts'
import type { ResponseListener } from '../response/response-listener.ts'
import { createScheduler } from '../scheduler/create-scheduler.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { AbortFollowers } from '../util/abort-followers.ts'
import type { Clock } from '../util/clock.ts'
import { LinkedList } from '../util/linked-list.ts'
import type { Logger } from '../util/logger.ts'

/** What a loaded model version is made of. */
export interface ModelVersionParts {
  readonly version: number
  readonly config: ModelConfig
  readonly labels: Labels
  readonly backendModel: BackendModel
  readonly instances: readonly ModelInstance[]
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly logger: Logger
  readonly signals: AbortFollowers
}

/** A loaded model version. It owns its instances and lives until its last request is answered. */
export class ModelVersion implements RequestOwner {
  readonly name: string
  readonly version: number
  readonly config: ModelConfig
  readonly labels: Labels
  readonly signature: ModelSignature
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly signals: AbortFollowers
  readonly #backendModel: BackendModel
  readonly #instances: readonly ModelInstance[]
  readonly #scheduler: Scheduler
  readonly #inflight = new LinkedList<InferenceRequest>()
  #accepting = true
  #onDrained: (() => void) | undefined
  #onGone!: () => void
  readonly #gone = new Promise<void>((resolve) => {
    this.#onGone = resolve
  })

  constructor(parts: ModelVersionParts) {
    const { version, config, labels, backendModel, instances, stats, clock, signals } = parts
    this.name = config.name
    this.version = version
    this.config = config
    this.labels = labels
    this.signature = modelSignature(config)
    this.stats = stats
    this.clock = clock
    this.signals = signals
    this.#backendModel = backendModel
    this.#instances = instances
    this.#scheduler = createScheduler(parts)
  }

  /**
   * Checks a request and hands it to the scheduler; the listener hears the rest.
   * @throws TritonError when the request is not taken; the listener then hears nothing.
   */
  send(request: InferRequest, listener: ResponseListener): InferenceRequest {
    if (!this.#accepting) {
      throw new TritonError(
        'UNAVAILABLE',
        `${requestPrefix(request.id)}Server is stopping, scheduler for model has stopped accepting new inference requests`,
      )
    }
    if (request.signal?.aborted) {
      throw new TritonError('CANCELLED', 'the request was cancelled', { cause: request.signal.reason })
    }
    const valid = validateRequest(this.signature, request)
    const inference = new InferenceRequest(this, request, valid, listener)
    this.#inflight.push(inference)
    try {
      this.#scheduler.enqueue(inference)
    } catch (error) {
      inference.discard()
      throw error
    }
    return inference
  }

  withdraw(request: InferenceRequest): boolean {
    return this.#scheduler.withdraw(request)
  }

  release(request: InferenceRequest): void {
    this.#inflight.remove(request)
    if (this.#inflight.length === 0) this.#onDrained?.()
  }

  get inflight(): number {
    return this.#inflight.length
  }

  /** Whether every instance says that it can serve. */
  async isReady(): Promise<boolean> {
    const ready = await Promise.all(this.#instances.map((instance) => instance.isReady()))
    return ready.every(Boolean)
  }

  /** From now on every new request is refused. */
  stopAccepting(): void {
    this.#accepting = false
  }

  /** Resolves when no request is in flight. */
  drained(): Promise<void> {
    if (this.#inflight.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const before = this.#onDrained
      this.#onDrained = () => {
        before?.()
        resolve()
      }
    })
  }

  /** Answers every request in flight with `error` at once. */
  abandonAll(error: TritonError): void {
    this.#scheduler.rejectWaiting((request) => request.reject(error, 'REJECTED'))
    for (const request of [...this.#inflight]) request.abandon(error, 'OTHER')
  }

  /** Resolves, whatever happened, when everything was given back. */
  get gone(): Promise<void> {
    return this.#gone
  }

  /** Waits for the requests in flight, then gives everything back. Called once, by the owner. */
  async dispose(): Promise<void> {
    this.stopAccepting()
    await this.drained()
    try {
      const results = await Promise.allSettled(this.#instances.map((instance) => instance.dispose()))
      await this.#backendModel.dispose()
      for (const result of results) if (result.status === 'rejected') throw result.reason
    } finally {
      this.#onGone()
    }
  }
}
