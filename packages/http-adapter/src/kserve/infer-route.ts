import { type InferenceTrace, type Model, TritonError } from '@triton-ts/core'
import { classSource, forwardHeaders, parseVersion, requestByRegions } from '@triton-ts/protocol'
import { negotiateEncoding } from '../body/accept-encoding.ts'
import { compress } from '../body/compress.ts'
import { inflate } from '../body/inflate.ts'
import type { BodyLimit, UniversalRequest, UniversalResponse } from '../universal.ts'
import { explained } from './explained.ts'
import { headerLengthName, parseHeaderLength } from './header-length.ts'
import { errorResponse, errorText } from './http-status.ts'
import { InferMessage } from './infer-message.ts'
import { readInferMessage } from './read-infer-message.ts'
import type { Route, RouteContext } from './route.ts'
import { bodyLimit, compressedLimit, decompressedLimit, jsonLimit, rawLimit } from './size-limits.ts'
import { traced } from './traced.ts'
import { InferResponseWriter } from './write-infer-response.ts'

const headerLengthKey = headerLengthName.toLowerCase()

/** `POST /v2/models/{model}[/versions/{version}]/infer`. */
export function inferRoute(context: RouteContext): Route {
  const endpoint = new InferEndpoint(context)
  return {
    pattern: /^\/v2\/models\/(?<model>[^/]+)(?:\/versions\/(?<version>[0-9]+))?\/infer$/,
    methods: ['POST'],
    api: 'inference',
    contentType: 'text/plain',
    handle(request, { model: name = '', version }) {
      const model = context.server.model(name, parseVersion(version))
      const trace = context.server.startTrace(name, (header) => request.header(header))
      return traced(trace, () => endpoint.infer(request, model, trace))
    },
  }
}

class InferEndpoint {
  readonly #context: RouteContext
  readonly #writer = new InferResponseWriter()

  constructor(context: RouteContext) {
    this.#context = context
  }

  async infer(request: UniversalRequest, model: Model, trace: InferenceTrace | undefined): Promise<UniversalResponse> {
    if (!model.isMissing) expectOneResponse(model)
    const encoding = request.header('content-encoding') ?? 'identity'
    if (encoding !== 'identity' && encoding !== 'gzip' && encoding !== 'deflate') {
      const { status, headers, body } = errorText(501, 'text/plain', 'Unsupported compression type')
      return { status, headers: [...headers, 'Accept-Encoding', 'gzip, deflate'], body }
    }
    const body = await this.#readBody(request, encoding !== 'identity')
    trace?.mark('HTTP_RECV_END')
    const headerLength = parseHeaderLength(request.header(headerLengthKey), body.byteLength)
    const message = new InferMessage()
    message.explain = this.#context.options.explain
    try {
      this.#readMessage(request, model, body, headerLength, message)
      message.signal = request.signal
      message.trace = trace ?? null
      if (!model.isMissing) return await this.#answer(request, model, message)
      return await model.whenThere(message, ({ timeoutMicroseconds }) => {
        expectOneResponse(model)
        message.timeoutMicroseconds = timeoutMicroseconds
        return this.#answer(request, model, message)
      })
    } catch (error) {
      if (error instanceof TritonError) return errorResponse(error, 'application/json')
      throw error
    } finally {
      message.regions?.release()
    }
  }

  async #answer(request: UniversalRequest, model: Model, message: InferMessage): Promise<UniversalResponse> {
    const classes = classSource(model, message.classified)
    const response = await (message.regions === undefined ? model.request(message) : requestByRegions(model, message))
    const answer = explained(this.#writer.write(response, message, classes), response.explanation)
    const accepted = negotiateEncoding(request.header('accept-encoding'))
    return accepted === 'identity' ? answer : compress(answer, accepted)
  }

  /** The body, decompressed. Limits that the headers alone decide are applied before it is read. */
  async #readBody(request: UniversalRequest, compressed: boolean): Promise<Uint8Array> {
    const { maxInputSize } = this.#context.options
    if (compressed) return inflate(await request.body(compressedLimit(maxInputSize)), decompressedLimit(maxInputSize))
    return request.body(this.#bodyLimit(request))
  }

  #bodyLimit(request: UniversalRequest): BodyLimit {
    const { maxInputSize, maxBodySize } = this.#context.options
    const headerLength = request.header(headerLengthKey)
    if (headerLength === undefined) return jsonLimit(maxInputSize)
    const { contentLength } = request
    if (contentLength === undefined) return bodyLimit(maxBodySize)
    const length = parseHeaderLength(headerLength, contentLength)
    if (length === 0) return rawLimit(maxInputSize)
    if (length > maxInputSize) throw jsonLimit(maxInputSize).tooLarge(length)
    return bodyLimit(maxBodySize)
  }

  #readMessage(
    request: UniversalRequest,
    model: Model,
    body: Uint8Array,
    headerLength: number,
    message: InferMessage,
  ): void {
    const { parser, options, server } = this.#context
    const { maxInputSize, headerForwardPattern } = options
    if (headerLength === 0) readRawMessage(body, maxInputSize, message)
    else readJsonMessage()
    if (headerForwardPattern !== undefined) forwardHeaders(headerForwardPattern, request.headers(), message)

    function readJsonMessage(): void {
      if (headerLength > maxInputSize) throw jsonLimit(maxInputSize).tooLarge(headerLength)
      const binary = new Uint8Array(body.buffer, body.byteOffset + headerLength, body.byteLength - headerLength)
      const json = binary.byteLength === 0 ? body : body.subarray(0, headerLength)
      const target = { modelName: model.name, maxInputSize, sharedMemory: server.sharedMemory }
      parser.parse(json, (document) => readInferMessage(document, binary, target, message))
    }
  }
}

function expectOneResponse(model: Model): void {
  if (!model.isDecoupled) return
  throw new TritonError('UNSUPPORTED', "HTTP end point doesn't support models with decoupled transaction policy")
}

/** A raw binary request: the whole body is the model's one input. */
function readRawMessage(body: Uint8Array, maxInputSize: number, message: InferMessage): void {
  if (body.byteLength > maxInputSize) throw rawLimit(maxInputSize).tooLarge(body.byteLength)
  message.rawInput = new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  message.binaryOutput = true
}
