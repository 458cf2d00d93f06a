import { type Model, TritonError } from '@triton-ts/core'
import { negotiateEncoding } from '../body/accept-encoding.ts'
import { compress } from '../body/compress.ts'
import { inflate } from '../body/inflate.ts'
import type { BodyLimit, UniversalRequest, UniversalResponse } from '../universal.ts'
import { forwardHeaders } from './forward-headers.ts'
import { headerLengthName, parseHeaderLength } from './header-length.ts'
import { errorResponse, errorText } from './http-status.ts'
import { InferMessage } from './infer-message.ts'
import { parseVersion } from './model-version.ts'
import { readInferMessage } from './read-infer-message.ts'
import type { Route, RouteContext } from './route.ts'
import { bodyLimit, decompressedLimit, jsonLimit, rawLimit } from './size-limits.ts'
import { type ClassSource, InferResponseWriter } from './write-infer-response.ts'

const headerLengthKey = headerLengthName.toLowerCase()

/** `POST /v2/models/{model}[/versions/{version}]/infer`. */
export function inferRoute(context: RouteContext): Route {
  const endpoint = new InferEndpoint(context)
  return {
    pattern: /^\/v2\/models\/(?<model>[^/]+)(?:\/versions\/(?<version>[0-9]+))?\/infer$/,
    methods: ['POST'],
    api: 'inference',
    contentType: 'text/plain',
    handle: (request, { model = '', version }) =>
      endpoint.infer(request, context.server.model(model, parseVersion(version))),
  }
}

class InferEndpoint {
  readonly #context: RouteContext
  readonly #writer = new InferResponseWriter()

  constructor(context: RouteContext) {
    this.#context = context
  }

  async infer(request: UniversalRequest, model: Model): Promise<UniversalResponse> {
    if (!model.isMissing) expectOneResponse(model)
    const encoding = request.header('content-encoding') ?? 'identity'
    if (encoding !== 'identity' && encoding !== 'gzip' && encoding !== 'deflate') {
      const { status, headers, body } = errorText(501, 'text/plain', 'Unsupported compression type')
      return { status, headers: [...headers, 'Accept-Encoding', 'gzip, deflate'], body }
    }
    const body = await this.#readBody(request, encoding !== 'identity')
    const headerLength = parseHeaderLength(request.header(headerLengthKey), body.byteLength)
    try {
      const message = this.#readMessage(request, model, body, headerLength)
      message.signal = request.signal
      if (!model.isMissing) return await this.#answer(request, model, message)
      return await model.whenThere(message, ({ timeoutMicroseconds }) => {
        expectOneResponse(model)
        message.timeoutMicroseconds = timeoutMicroseconds
        return this.#answer(request, model, message)
      })
    } catch (error) {
      if (error instanceof TritonError) return errorResponse(error, 'application/json')
      throw error
    }
  }

  async #answer(request: UniversalRequest, model: Model, message: InferMessage): Promise<UniversalResponse> {
    const classes = classesOf(model, message)
    const answer = this.#writer.write(await model.request(message), message, classes)
    const accepted = negotiateEncoding(request.header('accept-encoding'))
    return accepted === 'identity' ? answer : compress(answer, accepted)
  }

  /** The body, decompressed. Limits that the headers alone decide are applied before it is read. */
  async #readBody(request: UniversalRequest, compressed: boolean): Promise<Uint8Array> {
    const { maxInputSize } = this.#context.options
    if (compressed) return inflate(await request.body(bodyLimit), decompressedLimit(maxInputSize))
    return request.body(this.#bodyLimit(request))
  }

  #bodyLimit(request: UniversalRequest): BodyLimit {
    const { maxInputSize } = this.#context.options
    const headerLength = request.header(headerLengthKey)
    if (headerLength === undefined) return jsonLimit(maxInputSize)
    const { contentLength } = request
    if (contentLength === undefined) return bodyLimit
    const length = parseHeaderLength(headerLength, contentLength)
    if (length === 0) return rawLimit(maxInputSize)
    if (length > maxInputSize) throw jsonLimit(maxInputSize).tooLarge(length)
    return bodyLimit
  }

  #readMessage(request: UniversalRequest, model: Model, body: Uint8Array, headerLength: number): InferMessage {
    const { parser, options } = this.#context
    const { maxInputSize, headerForwardPattern } = options
    const message = headerLength === 0 ? rawMessage(body, maxInputSize) : jsonMessage()
    if (headerForwardPattern !== undefined) forwardHeaders(headerForwardPattern, request, message)
    return message

    function jsonMessage(): InferMessage {
      if (headerLength > maxInputSize) throw jsonLimit(maxInputSize).tooLarge(headerLength)
      const binary = new Uint8Array(body.buffer, body.byteOffset + headerLength, body.byteLength - headerLength)
      const json = binary.byteLength === 0 ? body : body.subarray(0, headerLength)
      const target = { modelName: model.name, maxInputSize }
      return parser.parse(json, (document) => readInferMessage(document, binary, target))
    }
  }
}

function expectOneResponse(model: Model): void {
  if (!model.isDecoupled) return
  throw new TritonError('UNSUPPORTED', "HTTP end point doesn't support models with decoupled transaction policy")
}

/** What ranking needs of the model, looked up while the model is certainly there. */
function classesOf(model: Model, { classified }: InferMessage): ClassSource | undefined {
  if (classified.length === 0) return undefined
  const labels = new Map(classified.map((output) => [output, model.classLabels(output)]))
  return { hasBatch: model.config.maxBatchSize > 0, label: (output, index) => labels.get(output)?.[index] ?? '' }
}

/** A raw binary request: the whole body is the model's one input. */
function rawMessage(body: Uint8Array, maxInputSize: number): InferMessage {
  if (body.byteLength > maxInputSize) throw rawLimit(maxInputSize).tooLarge(body.byteLength)
  const message = new InferMessage()
  message.rawInput = new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  message.binaryOutput = true
  return message
}
