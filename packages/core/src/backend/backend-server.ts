import type { ModelConfig } from '../config/model-config.ts'
import type { ModelMetadata, ServerMetadata } from '../lifecycle/model-metadata.ts'
import type { ModelIndexEntry } from '../lifecycle/model-state.ts'
import type { LoadOptions } from '../lifecycle/poll-model.ts'
import type { ModelStatistics } from '../metrics/model-statistics.ts'
import type { InferRequest } from '../request/infer-request.ts'
import type { InferenceResponse } from '../response/inference-response.ts'
import type { ExecutionRequest } from './backend.ts'

/**
 * The Server as a model's code sees it: for business logic, which runs other models, and for what loads them. It may be
 * used from `createModel` on until the model is disposed. A version of -1 is the highest that is ready.
 */
export interface BackendServer {
  /**
   * Runs a model, decoupled or not. Leaving the iteration cancels the request, and so does the request's signal. While
   * the Server stops it is taken as long as requests that came before are in flight.
   * @throws TritonError when the request is not taken; later errors end the iteration.
   */
  stream(modelName: string, version: number, request: NestedRequest): AsyncIterableIterator<InferenceResponse>
  /**
   * Runs a model that is not decoupled.
   * @throws TritonError (as a rejection), also for a decoupled model.
   */
  infer(modelName: string, version: number, request: NestedRequest): Promise<InferenceResponse>
  /** Whether the Server is ready, as an application's `isReady` says. */
  isReady(): Promise<boolean>
  /** False for a model or version that is not there. */
  isModelReady(modelName: string, version: number): Promise<boolean>
  /**
   * What is known of a version that serves.
   * @throws TritonError NOT_FOUND or UNAVAILABLE when there is none.
   */
  model(modelName: string, version: number): ServedModel
  /**
   * Loads or reloads a model; only with `modelControl: 'explicit'` and `'on-demand'`.
   * @throws TritonError, also where the load would wait for the one that calls it.
   */
  load(modelName: string, options?: LoadOptions): Promise<void>
  /**
   * Takes a model out of service; only with `modelControl: 'explicit'` and `'on-demand'`. Requests in flight finish.
   * @throws TritonError where it would wait for the load that calls it.
   */
  unload(modelName: string, options?: UnloadOptions): Promise<void>
  /**
   * Does `work` as soon as a model is there, at once where models do not come on demand. Until `work` has returned, or is
   * at its first wait, the model cannot be evicted. `stream` and `infer` wait by themselves, `model` does not.
   * @param request says how long it waits; what `work` is told has what is left of its time.
   * @throws TritonError when the model does not come.
   */
  whenThere<Request extends Waiting, T>(
    modelName: string,
    request: Request,
    work: (rest: Request) => T | Promise<T>,
  ): T | Promise<T>
  metadata(): ServerMetadata
  /** Of one model (`''`: of all that are ready), of one version (-1: of all). */
  statistics(modelName: string, version: number): ModelStatistics[]
  /** The metrics page, as `GET /metrics` prints it. */
  metrics(): string
  /** Every model in the repositories, read afresh. `ready`: only what serves. */
  index(options?: { readonly ready?: boolean | undefined }): Promise<ModelIndexEntry[]>
}

/** A request that the code of a model sends. */
export interface NestedRequest extends InferRequest {
  /**
   * The request that it serves: it is cancelled with that, has what is left of its `timeoutMicroseconds` unless it names
   * its own, and belongs to its trace. Requests that would wait for each other for ever are refused only where it is told.
   */
  readonly parent?: ExecutionRequest | undefined
  /**
   * It serves all the requests that run with `parent`, which is one of them: it is cancelled with the last of them, and
   * has a `timeoutMicroseconds` only of its own. Default false.
   */
  readonly servesBatch?: boolean | undefined
}

/** What a request says about how long it waits for its model. */
export type Waiting = Pick<NestedRequest, 'parent' | 'servesBatch' | 'signal' | 'timeoutMicroseconds'>

export interface UnloadOptions {
  /** Whether the models go with an ensemble that were loaded for it and that no other one needs. Default false. */
  readonly unloadDependents?: boolean | undefined
}

export interface ServedModel {
  readonly version: number
  /** Whether a request may have any number of responses. */
  readonly isDecoupled: boolean
  /** Completed, normalised and valid. */
  readonly config: ModelConfig
  /** The configuration as `GET /v2/models/{model}/config` prints it, with every default. */
  configJson(): Record<string, unknown>
  metadata(): ModelMetadata
}
