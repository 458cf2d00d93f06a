import { type Timer, TritonError } from '@triton-ts/core'
import type { Http2Stream } from '../http2/http2-stream.ts'
import type { StreamListener } from '../http2/stream-listener.ts'
import type { Connection } from './connection.ts'
import { GrpcError } from './grpc-status.ts'
import { parseGrpcTimeout } from './grpc-timeout.ts'
import type { MessageEncoding } from './message-encoding.ts'
import { MessageWriter } from './message-writer.ts'
import { Metadata } from './metadata.ts'
import type { Call, MessageParts } from './method.ts'
import { errorTrailers, httpStatus, okTrailers, responseHeaders } from './response-headers.ts'
import { Room } from './room.ts'
import type { ResolvedTransportOptions } from './transport-options.ts'

/** What a call does with what the client sends. */
export interface RequestListener {
  data(piece: Buffer): void
  /** The client has sent everything, or is gone. */
  end(): void
}

/** A call of a client on its HTTP/2 stream, from the headers to the status. */
export class ServerCall implements Call, StreamListener {
  readonly path: string
  readonly metadata: Metadata
  readonly #stream: Http2Stream
  readonly #connection: Connection
  readonly #options: ResolvedTransportOptions
  #request: RequestListener | undefined
  /** What came before anybody wanted it; at most a window of the stream. */
  #early: Buffer[] = []
  #isComplete = false
  #encoding: MessageEncoding = 'identity'
  #writer: MessageWriter | undefined
  #controller: AbortController | undefined
  #cancel: (() => void) | undefined
  #deadline: Timer | undefined
  #room: Room | undefined
  #hasEnded = false

  constructor(
    stream: Http2Stream,
    headers: readonly string[],
    connection: Connection,
    options: ResolvedTransportOptions,
  ) {
    this.metadata = new Metadata(headers)
    this.path = this.metadata.get(':path') ?? ''
    this.#stream = stream
    this.#connection = connection
    this.#options = options
    stream.listener = this
  }

  /** Made when it is asked for, since it costs as much as the rest of a small call. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#hasEnded) this.#controller.abort()
    return this.#controller.signal
  }

  onCancel(cancel: () => void): void {
    if (this.#hasEnded) cancel()
    else this.#cancel = cancel
  }

  get peer(): string {
    return this.#connection.peer
  }

  /** The status is on its way, or the client is gone. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /**
   * Ends the call with DEADLINE_EXCEEDED when the time is up that the client gives it; a response that the client has not
   * taken by then is dropped.
   */
  limitTime(timeout: string): void {
    const time = parseGrpcTimeout(timeout)
    if (time === undefined) throw new GrpcError('INTERNAL', `invalid grpc-timeout '${timeout}'`)
    this.#deadline = this.#options.clock.schedule(() => this.#expire(), time)
  }

  /** Has responses compressed. */
  compress(encoding: MessageEncoding): void {
    this.#encoding = encoding
  }

  /** From now on hears of the request; what came before is told at once. */
  read(request: RequestListener): void {
    this.#request = request
    for (const piece of this.#early) request.data(piece)
    this.#early = []
    if (this.#isComplete) request.end()
  }

  /** The client may send as many bytes again. */
  consume(bytes: number): void {
    this.#stream.consume(bytes)
  }

  /** Sends a response; without effect once the call has ended. @throws TritonError INVALID_ARG for one that is too large. */
  send(message: MessageParts): void {
    if (this.#hasEnded) return
    this.#begin().write(message)
  }

  /** Undefined while the client keeps up; else resolved when it has caught up, or when the call has ended. */
  room(): Promise<void> | undefined {
    if (this.#hasEnded) return undefined
    const compressed = this.#writer?.pending
    if (compressed !== undefined) return compressed
    if (!this.#stream.isFull) return undefined
    this.#room ??= new Room()
    return this.#room.wait()
  }

  /** Ends the call with OK. */
  end(): void {
    if (this.#hasEnded) return
    this.#begin()
    this.#finish(okTrailers)
  }

  /** Ends the call with the status of an error; one that is a fault of this program is logged. */
  fail(error: unknown): void {
    if (this.#hasEnded) return
    if (!(error instanceof GrpcError || error instanceof TritonError)) {
      this.#options.logger.error({ err: error, path: this.path }, 'call failed unexpectedly')
    }
    this.#finish(errorTrailers(GrpcError.from(error), this.#writer !== undefined))
    this.#giveUp()
  }

  /** Answers what is no call of gRPC with a status of HTTP. */
  refuse(status: number): void {
    this.#finish(httpStatus(status))
  }

  data(piece: Buffer): void {
    if (this.#hasEnded) return
    if (this.#request === undefined) this.#early.push(piece)
    else this.#request.data(piece)
  }

  complete(): void {
    this.#isComplete = true
    this.#request?.end()
  }

  drain(): void {
    this.#room?.open()
  }

  close(): void {
    this.drain()
    this.#deadline?.cancel()
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#giveUp()
    this.complete()
  }

  #expire(): void {
    if (this.#hasEnded) this.#stream.reset('CANCEL')
    else this.fail(new GrpcError('DEADLINE_EXCEEDED', 'Deadline Exceeded'))
  }

  #giveUp(): void {
    this.#controller?.abort()
    this.#cancel?.()
  }

  #begin(): MessageWriter {
    this.#connection.sent()
    if (this.#writer === undefined) {
      this.#writer = new MessageWriter(this.#stream, this.#encoding)
      this.#stream.respond(responseHeaders[this.#encoding])
    }
    return this.#writer
  }

  #finish(trailers: Uint8Array): void {
    this.#hasEnded = true
    this.#connection.sent()
    const pending = this.#writer?.pending
    if (pending === undefined) this.#stream.end(trailers)
    else void pending.then(() => this.#stream.end(trailers))
  }
}
