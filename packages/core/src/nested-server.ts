import type { BackendServer, NestedRequest, ServedModel, UnloadOptions } from './backend/backend-server.ts'
import type { LoadPhase } from './lifecycle/load-phase.ts'
import type { ModelManager } from './lifecycle/model-manager.ts'
import type { ServerMetadata } from './lifecycle/model-metadata.ts'
import type { ModelIndexEntry } from './lifecycle/model-state.ts'
import type { ModelVersion } from './lifecycle/model-version.ts'
import type { LoadOptions } from './lifecycle/poll-model.ts'
import type { ModelStatistics } from './metrics/model-statistics.ts'
import { Model } from './model.ts'
import type { ModelDefinition } from './repository/model-definition.ts'
import { InferenceRequest } from './request/inference-request.ts'
import { expectOneResponse } from './request/model-signature.ts'
import type { InferenceResponse } from './response/inference-response.ts'
import type { ResponseListener } from './response/response-listener.ts'
import { ResponseStream } from './response/response-stream.ts'
import { SingleResponse } from './response/single-response.ts'

/** What a model's code may ask of the Server in the same way as an application. */
export interface ServerControl {
  load(name: string, options?: LoadOptions): Promise<void>
  unload(name: string, options?: UnloadOptions): Promise<void>
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
  readonly #caller: Caller
  readonly #phase: LoadPhase

  /**
   * @param caller the model whose code it is.
   * @param phase of the version whose code it is.
   */
  constructor(server: ServerControl, manager: ModelManager, caller: Caller, phase: LoadPhase) {
    this.#server = server
    this.#manager = manager
    this.#caller = caller
    this.#phase = phase
  }

  stream(modelName: string, version: number, request: NestedRequest): AsyncIterableIterator<InferenceResponse> {
    return ResponseStream.open(
      (listener) => this.#send(this.#find(modelName, version), request, listener),
      (response) => response,
    )
  }

  async infer(modelName: string, version: number, request: NestedRequest): Promise<InferenceResponse> {
    const model = this.#find(modelName, version)
    expectOneResponse(model.signature)
    const listener = new SingleResponse()
    this.#send(model, request, listener)
    return listener.promise
  }

  #send(
    model: ModelVersion,
    { parent, servesBatch, ...request }: NestedRequest,
    listener: ResponseListener,
  ): InferenceRequest {
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
      return await this.#find(modelName, version).isReady()
    } catch {
      return false
    }
  }

  model(modelName: string, version: number): ServedModel {
    return new Model(this.#manager, this.#find(modelName, version).id, version)
  }

  load(modelName: string, options: LoadOptions = {}): Promise<void> {
    return this.#wait(modelName, () => this.#server.load(modelName, options))
  }

  unload(modelName: string, options: UnloadOptions = {}): Promise<void> {
    return this.#wait(modelName, () => this.#server.unload(modelName, options))
  }

  metadata(): ServerMetadata {
    return this.#server.metadata()
  }

  statistics(modelName: string, version: number): ModelStatistics[] {
    return this.#server.statistics(modelName, version)
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

  /** Where the caller is itself being loaded, its load waits for the work. */
  #wait(modelName: string, work: () => Promise<void>): Promise<void> {
    return this.#phase.isLoading ? this.#manager.whileWaiting(this.#caller.id, modelName, work) : work()
  }
}
