import type { ExecutionRequest } from '../backend/backend.ts'
import type { BackendServer } from '../backend/backend-server.ts'
import type { ModelConfig } from '../config/model-config.ts'
import type { LoadOptions } from '../lifecycle/poll-model.ts'
import type { RequestInput } from '../request/infer-request.ts'
import { type InputValue, toTensor } from '../request/input-value.ts'
import { type ModelSignature, modelSignature } from '../request/model-signature.ts'
import { Tensor } from '../request/tensor.ts'
import type { InferenceResponse, Outputs } from '../response/inference-response.ts'
import type { NestedOptions } from './code-context.ts'

/** A request of a model to another one. */
export interface NestedCall {
  readonly model: string
  readonly inputs: Readonly<Record<string, InputValue>>
  readonly options: Omit<NestedOptions, 'parent'>
  readonly parent: ExecutionRequest | undefined
}

/** The Server as code asks it, here or in another thread. */
export interface CodeServer {
  infer(call: NestedCall): Promise<Outputs>
  stream(call: NestedCall): AsyncIterableIterator<Outputs>
  isModelReady(model: string, version: number): Promise<boolean>
  load(model: string, options?: LoadOptions): Promise<void>
  unload(model: string): Promise<void>
}

/** The Server in this thread. */
export class DirectCodeServer implements CodeServer {
  readonly #server: BackendServer
  /** A configuration belongs to one load of a version. */
  readonly #signatures = new WeakMap<ModelConfig, ModelSignature>()

  constructor(server: BackendServer) {
    this.#server = server
  }

  async infer({ model, inputs, options, parent }: NestedCall): Promise<Outputs> {
    const { version = -1, ...rest } = options
    const { outputs } = await this.#server.whenThere(model, { ...rest, parent }, (request) =>
      this.#server.infer(model, version, { ...request, inputs: this.#tensors(model, version, inputs) }),
    )
    return outputs
  }

  async *stream({ model, inputs, options, parent }: NestedCall): AsyncIterableIterator<Outputs> {
    const { version = -1, ...rest } = options
    const opened = this.#server.whenThere(model, { ...rest, parent }, (request) =>
      this.#server.stream(model, version, { ...request, inputs: this.#tensors(model, version, inputs) }),
    )
    for await (const response of opened instanceof Promise ? await opened : opened) yield outputsOf(response)
  }

  isModelReady(model: string, version: number): Promise<boolean> {
    return this.#server.isModelReady(model, version)
  }

  load(model: string, options?: LoadOptions): Promise<void> {
    return this.#server.load(model, options)
  }

  unload(model: string): Promise<void> {
    return this.#server.unload(model)
  }

  #tensors(model: string, version: number, inputs: NestedCall['inputs']): RequestInput[] {
    return Object.entries(inputs).map(([name, value]) => ({
      name,
      tensor: value instanceof Tensor ? value : toTensor(this.#signature(model, version), name, value),
    }))
  }

  #signature(model: string, version: number): ModelSignature {
    const { config } = this.#server.model(model, version)
    let signature = this.#signatures.get(config)
    if (signature === undefined) {
      signature = modelSignature(config)
      this.#signatures.set(config, signature)
    }
    return signature
  }
}

function outputsOf({ outputs, error }: InferenceResponse): Outputs {
  if (error !== undefined) throw error
  return outputs
}
