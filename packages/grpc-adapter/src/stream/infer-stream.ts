import { type Model, TritonError } from '@triton-ts/core'
import { classSource, parseVersion } from '@triton-ts/protocol'
import { GrpcRequest } from '../infer/grpc-request.ts'
import type { IncomingRequest, RequestReader } from '../infer/request-reader.ts'
import type { ResponseWriter } from '../infer/response-writer.ts'
import type { ServiceContext } from '../service-context.ts'
import { GrpcError } from '../transport/grpc-status.ts'
import type { MessageParts, StreamCall } from '../transport/method.ts'
import { StreamedAnswer } from './streamed-answer.ts'
import { Turns } from './turns.ts'

/** Requests of one stream that may be under way; the client's next ones are not read before some are answered. */
const maxInFlight = 1024

/** One call of `ModelStreamInfer`, from its first request until all are answered. */
export class InferStream {
  readonly writer: ResponseWriter
  readonly turns = new Turns((message) => this.send(message))
  /** Whether the first error of a model ends the stream with its status, instead of being told in a response. */
  readonly endsWithErrors: boolean
  readonly #context: ServiceContext
  readonly #call: StreamCall
  readonly #reader: RequestReader
  /** Gives up all requests. */
  readonly #controller = new AbortController()
  readonly #ended: Promise<void>
  #resolve!: () => void
  #reject!: (error: unknown) => void
  #hasEnded = false
  #inFlight = 0
  /** The client has said that no more requests come. */
  #isComplete = false
  #wake: (() => void) | undefined

  constructor(context: ServiceContext, reader: RequestReader, writer: ResponseWriter, call: StreamCall) {
    this.#context = context
    this.#reader = reader
    this.writer = writer
    this.#call = call
    this.endsWithErrors = call.metadata.get('triton_grpc_error') === 'true'
    this.#ended = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** @throws what ends the stream. */
  async run(): Promise<void> {
    const { signal } = this.#call
    const cancel = (): void => this.fail(new GrpcError('CANCELLED', 'the stream was cancelled'))
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel)
    void this.#readAll()
    try {
      await this.#ended
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  send(message: MessageParts): void {
    if (!this.#hasEnded) this.#call.send(message)
  }

  room(): Promise<void> | undefined {
    return this.#hasEnded ? undefined : this.#call.room()
  }

  /** Ends the stream with an error, and gives up what is still under way. */
  fail(error: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#controller.abort()
    this.#wakeUp()
    this.#reject(error)
  }

  /** A request has had its last response. */
  answered(): void {
    this.#inFlight--
    this.#wakeUp()
    this.#endIfDone()
  }

  /** What a client is told of an error in a response. */
  textOf(error: unknown): string {
    if (!(error instanceof TritonError || error instanceof GrpcError)) {
      this.#context.logger.error({ error }, 'a request of a stream failed unexpectedly')
    }
    return GrpcError.from(error).message
  }

  async #readAll(): Promise<void> {
    try {
      for await (const message of this.#call.requests) {
        if (this.#hasEnded) return
        this.#begin(this.#reader.open(message))
        while (this.#inFlight >= maxInFlight && !this.#hasEnded) await this.#change()
        await this.room()
      }
      this.#isComplete = true
      this.#endIfDone()
    } catch (error) {
      this.fail(error)
    }
  }

  /** Resolved when a request has been answered, or when the stream has ended. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #wakeUp(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  #endIfDone(): void {
    if (!this.#isComplete || this.#inFlight > 0 || this.#hasEnded) return
    this.#hasEnded = true
    this.#resolve()
  }

  /** Sends a request to its model. Never throws. */
  #begin(incoming: IncomingRequest): void {
    const { wire } = incoming
    const request = new GrpcRequest()
    const answer = new StreamedAnswer(this, wire, request)
    this.#inFlight++
    try {
      const model = this.#context.server.model(wire.modelName, parseVersion(wire.modelVersion))
      const { isMissing } = model
      // Of a model that is still to be loaded it is not known yet.
      if (!isMissing && model.isDecoupled) answer.leaveOrder()
      this.#reader.read(incoming, this.#call, request)
      request.signal = this.#controller.signal
      this.#trace(request, wire.modelName)
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
