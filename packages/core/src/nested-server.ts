import type { BackendServer, NestedRequest, ServedModel, UnloadOptions, Waiting } from './backend/backend-server.ts'
import type { LoadPhase } from './lifecycle/load-phase.ts'
import type { ModelManager } from './lifecycle/model-manager.ts'
import type { ServerMetadata } from './lifecycle/model-metadata.ts'
import type { ModelIndexEntry } from './lifecycle/model-state.ts'
import type { ModelVersion } from './lifecycle/model-version.ts'
import type { LoadOptions } from './lifecycle/poll-model.ts'
import type { ModelStatistics } from './metrics/model-statistics.ts'
import { Model } from './model.ts'
import { LateRequest } from './on-demand/late-request.ts'
import type { OnDemand } from './on-demand/on-demand.ts'
import { timeLeft } from './on-demand/time-left.ts'
import type { WaitOptions } from './on-demand/waiter.ts'
import type { ModelDefinition } from './repository/model-definition.ts'
import { InferenceRequest } from './request/inference-request.ts'
import { expectOneResponse } from './request/model-signature.ts'
import type { InferenceResponse } from './response/inference-response.ts'
import type { ResponseListener } from './response/response-listener.ts'
import { ResponseStream } from './response/response-stream.ts'
import { SingleResponse } from './response/single-response.ts'
import type { RequestRouter } from './traffic/request-router.ts'

/** What a model's code may ask of the Server in the same way as an application. */
export interface ServerControl {
  load(name: string, options?: LoadOptions): Promise<void>
  unload(name: string, options?: UnloadOptions): Promise<unknown>
  metadata(): ServerMetadata
  statistics(name: string, version: number): ModelStatistics[]
  isReady(): Promise<boolean>
  metrics(): string
  index(options?: { readonly ready?: boolean | undefined }): Promise<ModelIndexEntry[]>
}

/** A model whose code asks. */
type Caller = Pick<ModelDefinition, 'id' | 'namespace'>

/** The Server as the code of one model version sees it. */
export class NestedServer implements BackendServer {
  readonly #server: ServerControl
  readonly #manager: ModelManager
  readonly #router: RequestRouter
  readonly #onDemand: OnDemand | undefined
  readonly #caller: Caller
  readonly #phase: LoadPhase

  /**
   * @param caller the model whose code it is.
   * @param phase of the version whose code it is.
   */
  constructor(
    server: ServerControl,
    manager: ModelManager,
    router: RequestRouter,
    onDemand: OnDemand | undefined,
    caller: Caller,
    phase: LoadPhase,
  ) {
    this.#server = server
    this.#manager = manager
    this.#router = router
    this.#onDemand = onDemand
    this.#caller = caller
    this.#phase = phase
  }

  stream(modelName: string, version: number, request: NestedRequest): AsyncIterableIterator<InferenceResponse> {
    const send = (rest: NestedRequest, listener: ResponseListener): InferenceRequest =>
      this.#send(this.#route(modelName, version, rest), version, rest, listener)
    const open = (listener: ResponseListener): { cancel(): void } => {
      if (!this.#isMissing(modelName)) return send(request, listener)
      const late = (signal: AbortSignal): Promise<InferenceRequest> =>
        this.#late(modelName, { ...request, signal }, (waited) => send(timeLeft(request, waited), listener))
      return new LateRequest(late, listener, request.signal)
    }
    return ResponseStream.open(open, (response) => response)
  }

  async infer(modelName: string, version: number, request: NestedRequest): Promise<InferenceResponse> {
    if (this.#isMissing(modelName)) {
      return this.#late(modelName, request, (waited) => this.infer(modelName, version, timeLeft(request, waited)))
    }
    const model = this.#route(modelName, version, request)
    expectOneResponse(model.signature)
    const listener = new SingleResponse()
    this.#send(model, version, request, listener)
    return listener.promise
  }

  #send(
    model: ModelVersion,
    version: number,
    { parent, servesBatch, ...content }: NestedRequest,
    listener: ResponseListener,
  ): InferenceRequest {
    const request = this.#router.explain(content, version, model)
    if (!(parent instanceof InferenceRequest)) return model.sendNested(request, listener)
    if (servesBatch) return model.sendNested(request, listener, parent, true)
    const timeoutMicroseconds = request.timeoutMicroseconds ?? parent.remainingMicroseconds
    return model.sendNested({ ...request, timeoutMicroseconds }, listener, parent)
  }

  isReady(): Promise<boolean> {
    return this.#server.isReady()
  }

  async isModelReady(modelName: string, version: number): Promise<boolean> {
    try {
      const onDemand = this.#onDemand
      if (onDemand?.isThere(modelName) === false) return await onDemand.isLoadable(modelName, version)
      return await this.#find(modelName, version).isReady()
    } catch {
      return false
    }
  }

  model(modelName: string, version: number): ServedModel {
    return new Model(this.#manager, this.#router, this.#onDemand, this.#find(modelName, version).id, version)
  }

  load(modelName: string, options: LoadOptions = {}): Promise<void> {
    return this.#wait(modelName, () => this.#server.load(modelName, options))
  }

  unload(modelName: string, options: UnloadOptions = {}): Promise<void> {
    return this.#wait(modelName, async () => {
      await this.#server.unload(modelName, options)
    })
  }

  whenThere<Request extends Waiting, T>(
    modelName: string,
    request: Request,
    work: (rest: Request) => T | Promise<T>,
  ): T | Promise<T> {
    if (!this.#isMissing(modelName)) return work(request)
    return this.#late(modelName, request, (waited) => work(timeLeft(request, waited)))
  }

  metadata(): ServerMetadata {
    return this.#server.metadata()
  }

  statistics(modelName: string, version: number): ModelStatistics[] {
    const { namespace } = this.#caller
    return this.#server.statistics(modelName && this.#manager.idOf(modelName, namespace), version)
  }

  metrics(): string {
    return this.#server.metrics()
  }

  index(options: { readonly ready?: boolean | undefined } = {}): Promise<ModelIndexEntry[]> {
    return this.#server.index(options)
  }

  /** Where names are told apart by repository, the caller's own comes first. */
  #find(modelName: string, version: number): ModelVersion {
    return this.#manager.find(modelName, version, this.#caller.namespace)
  }

  /** The version that is to answer a request; where none is named, a traffic split holds for models, too. */
  #route(modelName: string, version: number, request: NestedRequest): ModelVersion {
    return this.#router.find(modelName, version, request, this.#caller.namespace)
  }

  /** Whether the model comes on demand and has to be waited for. */
  #isMissing(modelName: string): boolean {
    return this.#onDemand?.isMissing(modelName, true) ?? false
  }

  /** Does `send` as soon as the model is there. Where the caller is itself being loaded, its load waits for that. */
  async #late<T>(modelName: string, request: Waiting, send: (waited: number) => T | Promise<T>): Promise<T> {
    let result!: T
    await this.#wait(modelName, async () => {
      result = await this.#onDemand!.send(modelName, this.#waitOf(request), send)
    })
    return result
  }

  /** How a request of the caller waits: no longer than the one that it serves. */
  #waitOf({ parent, servesBatch, signal, timeoutMicroseconds }: Waiting): WaitOptions {
    const held = new Set([this.#caller.id])
    if (!(parent instanceof InferenceRequest)) return { signal, timeoutMicroseconds, held }
    for (let one: InferenceRequest | undefined = parent; one !== undefined; one = one.parent) held.add(one.modelName)
    if (servesBatch) return { signal, timeoutMicroseconds, held }
    return {
      signal: signal === undefined ? parent.signal : AbortSignal.any([signal, parent.signal]),
      timeoutMicroseconds: timeoutMicroseconds ?? parent.remainingMicroseconds,
      held,
    }
  }

  /** Where the caller is itself being loaded, its load waits for the work. */
  #wait(modelName: string, work: () => Promise<void>): Promise<void> {
    return this.#phase.isLoading ? this.#manager.whileWaiting(this.#caller.id, modelName, work) : work()
  }
}
