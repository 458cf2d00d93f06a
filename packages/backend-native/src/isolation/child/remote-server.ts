import { type InferenceResponse, TritonError } from '@triton-ts/core'
import {
  type BackendServer,
  modelConfigFromJson,
  type NestedRequest,
  type ServedModel,
  type Waiting,
} from '@triton-ts/core/backend'
import type { Caller } from '../messages/caller.ts'
import { type ErrorMessage, fromErrorMessage } from '../messages/error-message.ts'
import type { NestedResponseMessage, ServerCalls } from '../messages/nested-message.ts'
import { fromTensorMessages, toTensorMessage } from '../messages/tensor-message.ts'
import type { Send } from './parent-link.ts'
import { query } from './query-channel.ts'
import { RemoteStream } from './remote-stream.ts'

interface OpenStream {
  readonly responses: RemoteStream
  /** Stops listening to the signal of the request. */
  unfollow(): void
}

/**
 * The Server in the parent as the child's model sees it. Unlike there, a request that is not taken is told by the first
 * `next` of its stream, and responses are not explained.
 */
export class RemoteServer {
  readonly #send: Send
  readonly #caller: Caller<ServerCalls>
  readonly #streams = new Map<number, OpenStream>()
  #lastStream = 0

  constructor(send: Send, caller: Caller<ServerCalls>) {
    this.#send = send
    this.#caller = caller
  }

  /** The methods that a model is given. */
  readonly server: BackendServer = {
    stream: (modelName, version, request) => this.#open(modelName, version, request),
    infer: (modelName, version, request) => this.#infer(modelName, version, request),
    isReady: () => this.#caller.call('isReady', []),
    isModelReady: (modelName, version) => this.#caller.call('isModelReady', [modelName, version]),
    model: servedModel,
    whenThere: (modelName, request, work) => this.#whenThere(modelName, request, work),
    load: (modelName, { signal, ...options } = {}) => this.#caller.call('load', [modelName, options], signal),
    unload: (modelName, options = {}) => this.#caller.call('unload', [modelName, options]),
    metadata: () => query('metadata', []),
    statistics: (modelName, version) => query('statistics', [modelName, version]),
    metrics: () => query('metrics', []),
    index: (options = {}) => this.#caller.call('index', [options]),
  }

  respond(stream: number, { outputs, error, ...response }: NestedResponseMessage): void {
    this.#streams.get(stream)?.responses.push({
      ...response,
      outputs: Object.fromEntries(fromTensorMessages(outputs)),
      error: error && fromErrorMessage(error),
    })
  }

  end(stream: number, error: ErrorMessage | undefined): void {
    const open = this.#streams.get(stream)
    this.#streams.delete(stream)
    open?.unfollow()
    open?.responses.end(error && fromErrorMessage(error))
  }

  /** A model that is not there is noticed by work that throws: to ask before would cost every request a question more. */
  #whenThere<Request extends Waiting, T>(
    modelName: string,
    request: Request,
    work: (rest: Request) => T | Promise<T>,
  ): T | Promise<T> {
    try {
      return work(request)
    } catch (error) {
      if (isAbsence(error)) return this.#bring(modelName, request, work)
      throw error
    }
  }

  async #bring<Request extends Waiting, T>(
    modelName: string,
    request: Request,
    work: (rest: Request) => T | Promise<T>,
  ): Promise<T> {
    const { servesBatch, timeoutMicroseconds: limit, signal } = request
    const wait = { servesBatch, timeoutMicroseconds: limit }
    const { hasWaited, timeoutMicroseconds } = await this.#caller.call('bring', [modelName, wait], signal)
    const rest = { ...request, timeoutMicroseconds }
    // It may be evicted again before `work` asks for it.
    return hasWaited ? this.#whenThere(modelName, rest, work) : work(rest)
  }

  async #infer(modelName: string, version: number, request: NestedRequest): Promise<InferenceResponse> {
    const responses = await this.#whenThere(modelName, request, (rest) => {
      if (!servedModel(modelName, version).isDecoupled) return this.#open(modelName, version, rest)
      throw new TritonError('UNSUPPORTED', `model '${modelName}' is decoupled; use stream`)
    })
    for await (const response of responses) return response
    throw new TritonError('INTERNAL', `model '${modelName}' sent no response`)
  }

  #open(
    modelName: string,
    version: number,
    { inputs, signal, explain: _, parent: __, ...rest }: NestedRequest,
  ): AsyncIterableIterator<InferenceResponse> {
    if (signal?.aborted) throw new TritonError('CANCELLED', 'the request was cancelled', { cause: signal.reason })
    const stream = ++this.#lastStream
    const leave = (): void => this.#send({ kind: 'nestedLeave', stream })
    const responses = new RemoteStream(leave)
    const request = { ...rest, inputs: inputs.map(({ name, tensor }) => toTensorMessage(name, tensor)) }
    this.#send({ kind: 'nestedOpen', stream, modelName, version, request })
    this.#streams.set(stream, { responses, unfollow: () => signal?.removeEventListener('abort', leave) })
    signal?.addEventListener('abort', leave, { once: true })
    return responses
  }
}

const isAbsence = (error: unknown): boolean =>
  error instanceof TritonError && (error.code === 'NOT_FOUND' || error.code === 'UNAVAILABLE')

function servedModel(modelName: string, version: number): ServedModel {
  const { configJson, metadata, ...model } = query('model', [modelName, version])
  return {
    ...model,
    config: modelConfigFromJson(JSON.stringify(configJson)),
    configJson: () => configJson,
    metadata: () => metadata,
  }
}
