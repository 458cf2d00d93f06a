import { TritonError } from '@triton-ts/core'
import { GrpcRequest } from '../infer/grpc-request.ts'
import type { IncomingRequest, RequestReader } from '../infer/request-reader.ts'
import type { ResponseWriter } from '../infer/response-writer.ts'
import type { ServiceContext } from '../service-context.ts'
import { GrpcError } from '../transport/grpc-status.ts'
import type { MessageParts, StreamCall } from '../transport/method.ts'
import { RequestDispatcher } from './request-dispatcher.ts'
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
  readonly #dispatcher: RequestDispatcher
  /** Gives up all requests. */
  readonly #controller = new AbortController()
  readonly #ended: Promise<void>
  #resolve!: () => void
  #reject!: (error: unknown) => void
  #hasEnded = false
  #inFlight = 0
  /** No more requests come. */
  #isComplete = false
  /** Why, where it was not the client who said so; ends the stream once the requests so far are answered. */
  #failure: unknown
  #wake: (() => void) | undefined

  constructor(context: ServiceContext, reader: RequestReader, writer: ResponseWriter, call: StreamCall) {
    this.#context = context
    this.#reader = reader
    this.writer = writer
    this.#call = call
    this.#dispatcher = new RequestDispatcher(context, reader, call, this.#controller.signal)
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
      this.#context.logger.error({ err: error }, 'a request of a stream failed unexpectedly')
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
    } catch (error) {
      this.#failure = error
    }
    this.#isComplete = true
    this.#endIfDone()
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
    if (this.#failure === undefined) this.#resolve()
    else this.#reject(this.#failure)
  }

  #begin(incoming: IncomingRequest): void {
    const request = new GrpcRequest()
    this.#inFlight++
    this.#dispatcher.dispatch(incoming, request, new StreamedAnswer(this, incoming.wire, request))
  }
}
