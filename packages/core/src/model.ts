import type { ModelConfig } from './config/model-config.ts'
import { modelConfigToJson } from './config/to-json.ts'
import type { ModelManager } from './lifecycle/model-manager.ts'
import type { ModelMetadata, TensorMetadata } from './lifecycle/model-metadata.ts'
import type { ModelVersion } from './lifecycle/model-version.ts'
import type { ModelStatistics } from './metrics/model-statistics.ts'
import { LateRequest } from './on-demand/late-request.ts'
import type { OnDemand } from './on-demand/on-demand.ts'
import { timeLeft } from './on-demand/time-left.ts'
import type { InferOptions } from './request/infer-options.ts'
import type { InferRequest } from './request/infer-request.ts'
import type { InferenceRequest } from './request/inference-request.ts'
import { type InputValue, toTensor } from './request/input-value.ts'
import { expectOneResponse, type ModelSignature, type OutputSignature } from './request/model-signature.ts'
import type { InferenceResponse, Outputs } from './response/inference-response.ts'
import type { ResponseListener } from './response/response-listener.ts'
import { ResponseStream } from './response/response-stream.ts'
import { SingleResponse } from './response/single-response.ts'
import type { RequestRouter } from './traffic/request-router.ts'

/**
 * A model by name, from `server.model(name)`. It holds nothing: every call goes to the version that serves then, so it
 * may be kept over reloads. Calls on a model that is not there fail with NOT_FOUND or UNAVAILABLE. Without a version,
 * requests go where the traffic split of the model says; what the handle tells is of the highest version that is ready.
 * Where models come on demand, requests load the model; what the handle tells needs one that is there (`Server.lease`).
 */
export class Model {
  readonly name: string
  readonly #manager: ModelManager
  readonly #router: RequestRouter
  readonly #onDemand: OnDemand | undefined
  readonly #version: number

  constructor(
    manager: ModelManager,
    router: RequestRouter,
    onDemand: OnDemand | undefined,
    name: string,
    version: number,
  ) {
    this.#manager = manager
    this.#router = router
    this.#onDemand = onDemand
    this.name = name
    this.#version = version
  }

  /** The effective configuration of the version that serves now. */
  get config(): ModelConfig {
    return this.#find().config
  }

  /** The version that serves now. */
  get version(): number {
    return this.#find().version
  }

  /** Whether a request may have any number of responses. */
  get isDecoupled(): boolean {
    return this.#find().signature.decoupled
  }

  /** The configuration as `GET /v2/models/{model}/config` prints it, with every default. */
  configJson(): Record<string, unknown> {
    return modelConfigToJson(this.#find().config)
  }

  metadata(): ModelMetadata {
    const { config, signature, version } = this.#find()
    const versions =
      this.#version === -1 ? this.#manager.readyVersions(this.name).map((model) => model.version) : [version]
    const batch = config.maxBatchSize > 0 ? [-1] : []
    const tensors = (tensors: Iterable<OutputSignature>): TensorMetadata[] =>
      [...tensors].map(({ name, datatype, dims }) => ({ name, datatype, shape: [...batch, ...dims] }))
    return {
      name: config.name,
      versions: versions.map(String),
      platform: config.platform || config.backend,
      inputs: tensors(signature.inputs.values()),
      outputs: tensors(signature.outputs.values()),
    }
  }

  /** Statistics of every ready version, or of the one this handle names. */
  statistics(): ModelStatistics[] {
    const versions = this.#version === -1 ? this.#manager.readyVersions(this.name) : [this.#find()]
    return versions.map((model) => model.statistics())
  }

  /**
   * False for a model or version that is not there, and for all once the Server stops. Where models come on demand, true
   * for one that the next request would load; asking does not load it.
   */
  async isReady(): Promise<boolean> {
    try {
      if (!this.#manager.isAccepting) return false
      const onDemand = this.#onDemand
      if (onDemand?.isThere(this.name) === false) return await onDemand.isLoadable(this.name, this.#version)
      return await this.#find().isReady()
    } catch {
      return false
    }
  }

  /**
   * Whether a request has to wait until the model is loaded; false where models do not come on demand. One that is there
   * counts as used now.
   */
  get isMissing(): boolean {
    return this.#onDemand?.isMissing(this.name, false) ?? false
  }

  /**
   * Does `work` as soon as the model is there, which is at once where models do not come on demand. Until `work` has
   * returned, or is at its first wait, the model cannot be evicted; a request that is sent then keeps it longer.
   * @param request says how long it waits, and what `work` is told has what is left of its time.
   */
  whenThere<Request extends Pick<InferRequest, 'signal' | 'timeoutMicroseconds'>, T>(
    request: Request,
    work: (rest: Request) => T | Promise<T>,
  ): T | Promise<T> {
    return this.isMissing ? this.#late(request, work) : work(request)
  }

  /** The labels of the classes of an output, from its `label_filename`; none without one. */
  classLabels(output: string): readonly string[] {
    return this.#find().labels.get(output) ?? []
  }

  /** The label of a class of an output; `''` without one. */
  classLabel(output: string, index: number): string {
    return this.classLabels(output)[index] ?? ''
  }

  /**
   * Runs the model once and resolves with its outputs by name. For a model that is not decoupled.
   * @throws TritonError (as a rejection) with Triton's texts for requests that do not fit; CANCELLED after an abort.
   */
  async infer(inputs: Readonly<Record<string, InputValue>>, options: InferOptions = {}): Promise<Outputs> {
    if (this.isMissing) return this.#late(options, (rest) => this.infer(inputs, rest))
    const model = this.#route(options)
    const { outputs, explanation } = await this.#ask(model, toRequest(model.signature, inputs, options))
    if (explanation !== undefined) options.onExplain?.(explanation)
    return outputs
  }

  /**
   * The outputs of every response, as they come. Leaving the loop cancels the request.
   * @throws TritonError when the request is not taken; later errors end the iteration.
   */
  inferStream(
    inputs: Readonly<Record<string, InputValue>>,
    options: InferOptions = {},
  ): AsyncIterableIterator<Outputs> {
    const select = ({ outputs, explanation, error }: InferenceResponse): Outputs => {
      if (error !== undefined) throw error
      if (explanation !== undefined) options.onExplain?.(explanation)
      return outputs
    }
    return this.#stream(options, (model, rest) => toRequest(model.signature, inputs, rest), select)
  }

  /** The long form of `infer`: everything that the protocol knows, in and out. */
  request(request: InferRequest): Promise<InferenceResponse> {
    if (this.isMissing) return this.#late(request, (rest) => this.request(rest))
    try {
      return this.#ask(this.#route(request), request)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /**
   * The long form of `inferStream`, in which a response that failed is one with an `error`, and others may follow.
   * @throws TritonError when the request is not taken; later errors end the iteration.
   */
  requestStream(request: InferRequest): AsyncIterableIterator<InferenceResponse> {
    return this.#stream(
      request,
      (_, rest) => rest,
      (response) => response,
    )
  }

  /**
   * The form under `requestStream`, for adapters: a listener hears of each response, and whether it is the last one. For a
   * model that is there (`whenThere`).
   * @returns what gives the request up; the listener then hears CANCELLED.
   * @throws TritonError when the request is not taken; the listener then hears nothing.
   */
  send(request: InferRequest, listener: ResponseListener): { cancel(): void } {
    const model = this.#route(request)
    return model.send(this.#router.explain(request, this.#version, model), listener)
  }

  #ask(model: ModelVersion, request: InferRequest): Promise<InferenceResponse> {
    expectOneResponse(model.signature)
    const listener = new SingleResponse()
    model.send(this.#router.explain(request, this.#version, model), listener)
    return listener.promise
  }

  #stream<Options extends InferRequest | InferOptions, T>(
    options: Options,
    toRequest: (model: ModelVersion, options: Options) => InferRequest,
    select: (response: InferenceResponse) => T,
  ): ResponseStream<T> {
    const send = (listener: ResponseListener, rest: Options): InferenceRequest => {
      const model = this.#route(rest)
      return model.send(this.#router.explain(toRequest(model, rest), this.#version, model), listener)
    }
    if (!this.isMissing) return ResponseStream.open((listener) => send(listener, options), select)
    return ResponseStream.open((listener) => {
      const late = (signal: AbortSignal): Promise<InferenceRequest> =>
        this.#late({ ...options, signal }, (rest) => send(listener, { ...rest, signal: options.signal }))
      return new LateRequest(late, listener, options.signal)
    }, select)
  }

  #late<Request extends Pick<InferRequest, 'signal' | 'timeoutMicroseconds'>, T>(
    request: Request,
    send: (rest: Request) => T | Promise<T>,
  ): Promise<T> {
    return this.#onDemand!.send(this.name, request, (waited) => send(timeLeft(request, waited)))
  }

  /** The version that is to answer a request. */
  #route(request: InferRequest | InferOptions): ModelVersion {
    return this.#router.find(this.name, this.#version, request)
  }

  #find(): ModelVersion {
    return this.#manager.find(this.name, this.#version)
  }
}

function toRequest(
  signature: ModelSignature,
  values: Readonly<Record<string, InputValue>>,
  { version: _, onExplain, ...options }: InferOptions,
): InferRequest {
  const inputs = Object.entries(values).map(([name, value]) => ({ name, tensor: toTensor(signature, name, value) }))
  return { ...options, inputs, explain: onExplain !== undefined }
}
