import { type InferenceResponse, type InferRequest, type RequestInput, Tensor, TritonError } from '@triton-ts/core'
import type { BackendServer } from '@triton-ts/core/backend'
import { dataTypeNumbers, dataTypeOf, nativeError, sequenceFlag } from '../host/abi-numbers.ts'
import type { NativeTensor, NestedRequest, NestedResponse } from '../host/binding.ts'
import { fromNativeParameters, toNativeParameters } from '../host/parameters.ts'

/** A request that a library makes of the engine, and the answers until they are copied. */
export class NestedInference {
  readonly #request: NestedRequest
  readonly #answer: (response: NestedResponse) => void
  readonly #abort = new AbortController()
  /** Their outputs are read on another thread, so they must live. */
  readonly #uncopied: NestedResponse[] = []
  #hasAnswered = false

  constructor(request: NestedRequest, answer: (response: NestedResponse) => void) {
    this.#request = request
    this.#answer = answer
  }

  /** Answers each response, the last one with `final`. Never rejects. */
  async run(server: BackendServer): Promise<void> {
    const { modelName, modelVersion } = this.#request
    try {
      const opened = server.whenThere(modelName, this.#inferRequest(), (request) => ({
        isDecoupled: server.model(modelName, modelVersion).isDecoupled,
        responses: server.stream(modelName, modelVersion, request),
      }))
      const { isDecoupled, responses } = opened instanceof Promise ? await opened : opened
      for await (const response of responses) {
        // NVIDIA's Python backend 2.51 waits for ever for what comes behind an error that is the first answer.
        if (response.error !== undefined && !this.#hasAnswered) throw response.error
        this.#send(toNativeResponse(response, !isDecoupled))
        if (!isDecoupled) return
      }
      this.#send(bareEnd(this.#request))
    } catch (error) {
      this.#fail(errorResponse(this.#request, error))
    }
  }

  /**
   * A request that fails at once has one answer. After others the end comes by itself, as from decoupled models in Triton:
   * NVIDIA's Python backend 2.51 loses the error of a later answer, and would wait for ever if it were the last.
   */
  #fail(response: NestedResponse): void {
    if (!this.#hasAnswered) {
      this.#send(response)
      return
    }
    this.#send({ ...response, final: false })
    this.#send(bareEnd(this.#request))
  }

  cancel(): void {
    this.#abort.abort()
  }

  /** The oldest answer is copied. Returns whether it was the last. */
  letGo(): boolean {
    return this.#uncopied.shift()?.final ?? true
  }

  #send(response: NestedResponse): void {
    this.#hasAnswered = true
    this.#uncopied.push(response)
    this.#answer(response)
  }

  #inferRequest(): InferRequest {
    const { id, inputs, outputs, parameters, correlationId, flags, priority, timeoutMicroseconds } = this.#request
    return {
      id,
      inputs: inputs.map(toInput),
      ...(outputs.length > 0 && { outputs }),
      correlationId,
      sequenceStart: (flags & sequenceFlag.start) !== 0,
      sequenceEnd: (flags & sequenceFlag.end) !== 0,
      priority,
      timeoutMicroseconds,
      parameters: fromNativeParameters(parameters),
      signal: this.#abort.signal,
    }
  }
}

export const errorResponse = (request: NestedRequest, error: unknown): NestedResponse => ({
  ...emptyFinal(request),
  error: nativeError(error),
})

/** The end of a decoupled model's responses. */
const bareEnd = (request: NestedRequest): NestedResponse => ({ ...emptyFinal(request), isBareEnd: true })

const emptyFinal = ({ modelName, modelVersion, id }: NestedRequest): NestedResponse => ({
  final: true,
  modelName,
  modelVersion,
  id,
  parameters: [],
  outputs: [],
})

function toNativeResponse(response: InferenceResponse, final: boolean): NestedResponse {
  const { modelName, modelVersion, id, parameters, outputs, error } = response
  return {
    final,
    ...(error !== undefined && { error: nativeError(error) }),
    modelName,
    modelVersion,
    id,
    parameters: toNativeParameters(parameters),
    outputs: Object.entries(outputs).map(([name, { datatype, shape, bytes }]) => ({
      name,
      datatype: dataTypeNumbers[datatype],
      shape,
      data: bytes,
    })),
  }
}

function toInput({ name, datatype, shape, data }: NativeTensor): RequestInput {
  const type = dataTypeOf(datatype)
  if (type !== undefined) return { name, tensor: Tensor.fromBytes(type, shape, data) }
  throw new TritonError('INVALID_ARG', `input '${name}' has no valid data type`)
}
