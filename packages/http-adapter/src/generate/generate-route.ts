import { type InferenceTrace, type Model, TritonError } from '@triton-ts/core'
import { parseVersion } from '@triton-ts/protocol'
import type { Route, RouteContext } from '../kserve/route.ts'
import { jsonLimit } from '../kserve/size-limits.ts'
import { traced } from '../kserve/traced.ts'
import type { UniversalRequest, UniversalResponse } from '../universal.ts'
import { type Answer, Answers } from './answers.ts'
import { EventStream } from './event-stream.ts'
import { readGenerateMessage } from './read-generate-message.ts'
import { type Frame, GenerateResponseWriter } from './write-generate-response.ts'

const bare: Frame = { before: '', after: '' }
/** An event of server-sent events. */
const event: Frame = { before: 'data: ', after: '\n\n' }

const notOneResponse =
  'generate expects model to produce exactly 1 response, use generate stream for model that generates various number of responses'

/** `POST /v2/models/{model}[/versions/{version}]/generate` and `/generate_stream`. */
export function generateRoute(context: RouteContext): Route {
  const whole = new GenerateEndpoint(context, bare)
  const streamed = new GenerateEndpoint(context, event)
  return {
    pattern: /^\/v2\/models\/(?<model>[^/]+)(?:\/versions\/(?<version>[0-9]+))?\/generate(?<stream>_stream)?$/,
    methods: ['POST'],
    api: 'inference',
    contentType: 'application/json',
    handle(request, { model: name = '', version, stream }) {
      const model = context.server.model(name, parseVersion(version))
      const { signal } = request
      const trace = context.server.startTrace(name, (header) => request.header(header))
      const answer = (): Promise<UniversalResponse> =>
        stream === undefined ? whole.generate(request, model, trace) : streamed.stream(request, model, trace)
      return traced(trace, () => model.whenThere({ signal }, answer))
    },
  }
}

type Trace = InferenceTrace | undefined

class GenerateEndpoint {
  readonly #context: RouteContext
  readonly #writer: GenerateResponseWriter

  constructor(context: RouteContext, frame: Frame) {
    this.#context = context
    this.#writer = new GenerateResponseWriter(frame)
  }

  /** The one response of the model. All are waited for, since the last tells whether there is one. */
  async generate(request: UniversalRequest, model: Model, trace: Trace): Promise<UniversalResponse> {
    let first: Answer | undefined
    let count = 0
    for await (const answer of await this.#send(request, model, trace)) {
      first ??= answer
      count++
    }
    const body = first !== undefined && count === 1 ? first.body : this.#writer.writeError(notOneResponse)
    return { status: statusOf(first), headers: ['Content-Type', 'application/json'], body }
  }

  /** Each response as an event. The first decides the status; without any the body is empty. */
  async stream(request: UniversalRequest, model: Model, trace: Trace): Promise<UniversalResponse> {
    const answers = await this.#send(request, model, trace)
    const { value: first } = await answers.next()
    const head = { status: statusOf(first), headers: ['Content-Type', 'text/event-stream; charset=utf-8'] }
    return first === undefined ? { ...head, body: '' } : { ...head, body: new EventStream(first, answers) }
  }

  async #send(request: UniversalRequest, model: Model, trace: Trace): Promise<Answers> {
    const { parser, options } = this.#context
    const { maxInputSize, logger } = options
    const inputs = new Map(model.metadata().inputs.map((input) => [input.name, input]))
    if ((request.header('content-encoding') || 'identity') !== 'identity') {
      throw new TritonError('INVALID_ARG', "Unsupported content-encoding, only 'identity' is supported.")
    }
    const body = await request.body(jsonLimit(maxInputSize))
    trace?.mark('HTTP_RECV_END')
    const message = parser.parse(body, (document) => readGenerateMessage(document, { inputs, maxInputSize }))
    message.signal = request.signal
    message.trace = trace ?? null
    return new Answers(model.requestStream(message), this.#writer, logger)
  }
}

/**
 * Triton looks at the code of an error after it has let go of it, and answers 400 whatever the model said. Requests that
 * are not taken have the status of their error.
 */
const statusOf = (first: Answer | undefined): number => (first?.failed ? 400 : 200)
