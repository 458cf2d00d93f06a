import type { ModelConfig } from './config/model-config.ts'
import { modelConfigToJson } from './config/to-json.ts'
import type { ModelManager } from './lifecycle/model-manager.ts'
import type { ModelMetadata, TensorMetadata } from './lifecycle/model-metadata.ts'
import type { ModelVersion } from './lifecycle/model-version.ts'
import type { ModelStatistics } from './metrics/model-statistics.ts'
import type { InferOptions } from './request/infer-options.ts'
import type { InferRequest } from './request/infer-request.ts'
import { type InputValue, toTensor } from './request/input-value.ts'
import { expectOneResponse, type OutputSignature } from './request/model-signature.ts'
import type { InferenceResponse, Outputs } from './response/inference-response.ts'
import { ResponseStream } from './response/response-stream.ts'
import { SingleResponse } from './response/single-response.ts'

/**
 * A model by name, from `server.model(name)`. It holds nothing: every call goes to the version that serves then, so it
 * may be kept over reloads. Calls on a model that is not there fail with NOT_FOUND or UNAVAILABLE.
 */
export class Model {
  readonly name: string
  readonly #manager: ModelManager
  readonly #version: number

  constructor(manager: ModelManager, name: string, version: number) {
    this.#manager = manager
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
      name: this.name,
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

  /** False for a model or version that is not there, and for all once the Server stops. */
  async isReady(): Promise<boolean> {
    try {
      return this.#manager.isAccepting && (await this.#find().isReady())
    } catch {
      return false
    }
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
    const { outputs, explanation } = await this.request(this.#toRequest(inputs, options))
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
    return this.#stream(this.#toRequest(inputs, options), ({ outputs, explanation, error }) => {
      if (error !== undefined) throw error
      if (explanation !== undefined) options.onExplain?.(explanation)
      return outputs
    })
  }

  /** The long form of `infer`: everything that the protocol knows, in and out. */
  request(request: InferRequest): Promise<InferenceResponse> {
    try {
      const model = this.#find()
      expectOneResponse(model.signature)
      const listener = new SingleResponse()
      model.send(request, listener)
      return listener.promise
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /**
   * The long form of `inferStream`, in which a response that failed is one with an `error`, and others may follow.
   * @throws TritonError when the request is not taken; later errors end the iteration.
   */
  requestStream(request: InferRequest): AsyncIterableIterator<InferenceResponse> {
    return this.#stream(request, (response) => response)
  }

  #stream<T>(request: InferRequest, select: (response: InferenceResponse) => T): ResponseStream<T> {
    return ResponseStream.open((listener) => this.#find().send(request, listener), select)
  }

  #find(): ModelVersion {
    return this.#manager.find(this.name, this.#version)
  }

  #toRequest(
    values: Readonly<Record<string, InputValue>>,
    { version: _, onExplain, ...options }: InferOptions,
  ): InferRequest {
    const { signature } = this.#find()
    const inputs = Object.entries(values).map(([name, value]) => ({ name, tensor: toTensor(signature, name, value) }))
    return { ...options, inputs, explain: onExplain !== undefined }
  }
}
