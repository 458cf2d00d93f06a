import { RequestReader } from '../infer/request-reader.ts'
import { ResponseWriter } from '../infer/response-writer.ts'
import { inferenceService, type ServiceContext } from '../service-context.ts'
import type { StreamCall, StreamMethod } from '../transport/method.ts'
import { InferStream } from './infer-stream.ts'

/** `ModelStreamInfer`: any number of requests to any models, each with any number of responses. */
export class ModelStreamInfer implements StreamMethod {
  static readonly path = `/${inferenceService}/ModelStreamInfer`

  readonly kind = 'stream'
  readonly #context: ServiceContext
  readonly #reader: RequestReader
  readonly #writer = new ResponseWriter()

  constructor(context: ServiceContext) {
    this.#context = context
    this.#reader = new RequestReader(context)
  }

  handle(call: StreamCall): Promise<void> {
    return new InferStream(this.#context, this.#reader, this.#writer, call).run()
  }
}
