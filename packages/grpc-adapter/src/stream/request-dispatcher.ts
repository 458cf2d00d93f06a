import type { Model } from '@triton-ts/core'
import { classSource, parseVersion } from '@triton-ts/protocol'
import type { GrpcRequest } from '../infer/grpc-request.ts'
import type { IncomingRequest, RequestReader } from '../infer/request-reader.ts'
import type { ServiceContext } from '../service-context.ts'
import type { StreamCall } from '../transport/method.ts'
import type { StreamedAnswer } from './streamed-answer.ts'

/** Gives the requests of a stream to their models. */
export class RequestDispatcher {
  readonly #context: ServiceContext
  readonly #reader: RequestReader
  readonly #call: StreamCall
  readonly #signal: AbortSignal

  /** @param signal gives up all requests. */
  constructor(context: ServiceContext, reader: RequestReader, call: StreamCall, signal: AbortSignal) {
    this.#context = context
    this.#reader = reader
    this.#call = call
    this.#signal = signal
  }

  /** Fills the request and sends it. Never throws: what is wrong with it is its answer. */
  dispatch(incoming: IncomingRequest, request: GrpcRequest, answer: StreamedAnswer): void {
    const { modelName, modelVersion } = incoming.wire
    try {
      const model = this.#context.server.model(modelName, parseVersion(modelVersion))
      const { isMissing } = model
      // Of a model that is still to be loaded it is not known yet.
      if (!isMissing && model.isDecoupled) answer.leaveOrder()
      this.#reader.read(incoming, this.#call, request)
      request.signal = this.#signal
      this.#trace(request, modelName)
      if (!isMissing && request.regions === undefined) send(model, request, answer)
      else sendLater(model, request, answer).catch((error: unknown) => answer.refuse(error))
    } catch (error) {
      answer.refuse(error)
    }
  }

  #trace(request: GrpcRequest, modelName: string): void {
    const { metadata } = this.#call
    const trace = this.#context.server.startTrace(modelName, (header) => metadata.get(header))
    if (trace === undefined) return
    request.trace = trace
    trace.mark('GRPC_WAITREAD_START')
    trace.mark('GRPC_WAITREAD_END')
  }
}

function send(model: Model, request: GrpcRequest, answer: StreamedAnswer): void {
  answer.classes = classSource(model, request.classified)
  model.send(request, answer)
}

/** Sends a request once its inputs are read from shared memory and its model is there. */
async function sendLater(model: Model, request: GrpcRequest, answer: StreamedAnswer): Promise<void> {
  await request.regions?.read()
  await model.whenThere(request, ({ timeoutMicroseconds }) => {
    request.timeoutMicroseconds = timeoutMicroseconds
    if (model.isDecoupled) answer.leaveOrder()
    send(model, request, answer)
  })
}
