import { type InferenceResponse, type InferenceTrace, type Model, SingleResponse, TritonError } from '@triton-ts/core'
import { classSource, parseVersion, requestByRegions } from '@triton-ts/protocol'
import { inferenceService, type ServiceContext } from '../service-context.ts'
import type { Call, MessageParts, UnaryMethod } from '../transport/method.ts'
import { GrpcRequest } from './grpc-request.ts'
import type { IncomingRequest } from './request-reader.ts'
import { RequestReader } from './request-reader.ts'
import { ResponseWriter } from './response-writer.ts'

/** `ModelInfer`: one request, one response. */
export class ModelInfer implements UnaryMethod {
  static readonly path = `/${inferenceService}/ModelInfer`

  readonly kind = 'unary'
  readonly #context: ServiceContext
  readonly #reader: RequestReader
  readonly #writer = new ResponseWriter()

  constructor(context: ServiceContext) {
    this.#context = context
    this.#reader = new RequestReader(context)
  }

  handle(message: Uint8Array, call: Call): Promise<MessageParts> {
    const { server } = this.#context
    const incoming = this.#reader.open(message)
    const { modelName, modelVersion } = incoming.wire
    const model = server.model(modelName, parseVersion(modelVersion))
    const trace = server.startTrace(modelName, (header) => call.metadata.get(header))
    return trace === undefined ? this.#infer(incoming, model, call) : this.#traced(incoming, model, call, trace)
  }

  async #traced(incoming: IncomingRequest, model: Model, call: Call, trace: InferenceTrace): Promise<MessageParts> {
    // The whole request is here before it is known which model it is for.
    trace.mark('GRPC_WAITREAD_START')
    trace.mark('GRPC_WAITREAD_END')
    try {
      return await this.#infer(incoming, model, call, trace)
    } finally {
      trace.mark('GRPC_SEND_END')
      trace.release()
    }
  }

  async #infer(incoming: IncomingRequest, model: Model, call: Call, trace?: InferenceTrace): Promise<MessageParts> {
    const request = new GrpcRequest()
    request.trace = trace ?? null
    try {
      const { isMissing } = model
      if (!isMissing) expectOneResponse(model)
      this.#reader.read(incoming, call, request)
      if (!isMissing && request.regions === undefined) return await this.#answer(model, request, call)
      request.signal = call.signal
      return await model.whenThere(request, ({ timeoutMicroseconds }) => {
        expectOneResponse(model)
        request.timeoutMicroseconds = timeoutMicroseconds
        return this.#answer(model, request, call)
      })
    } finally {
      request.regions?.release()
    }
  }

  async #answer(model: Model, request: GrpcRequest, call: Call): Promise<MessageParts> {
    const classes = classSource(model, request.classified)
    const response = await (request.signal === undefined ? ask(model, request, call) : requestByRegions(model, request))
    request.trace?.mark('GRPC_SEND_START')
    return this.#writer.write(response, request, classes)
  }
}

/** `Model.request` for a model that is there, cancelled with the call but without the cost of a signal. */
function ask(model: Model, request: GrpcRequest, call: Call): Promise<InferenceResponse> {
  const answer = new SingleResponse()
  const running = model.send(request, answer)
  call.onCancel(() => running.cancel())
  return answer.promise
}

function expectOneResponse(model: Model): void {
  if (!model.isDecoupled) return
  throw new TritonError('UNSUPPORTED', "ModelInfer RPC doesn't support models with decoupled transaction policy")
}
