import type { AccessRefusal, RestrictedApi } from '@triton-ts/protocol'
import type { Http2Stream } from '../http2/http2-stream.ts'
import type { Connection } from './connection.ts'
import { GrpcError } from './grpc-status.ts'
import { acceptedEncodings, encodingOf, responseEncoding } from './message-encoding.ts'
import type { Method, Methods } from './method.ts'
import { RequestMessages } from './request-messages.ts'
import { ServerCall } from './server-call.ts'
import { ServerStreamCall } from './stream-call.ts'
import type { ResolvedTransportOptions } from './transport-options.ts'
import { UnaryCall } from './unary-call.ts'

const closing = 'GRPC server is shutting down and has stopped accepting new requests.'

/** Looks at the headers of each call and gives it to its method. */
export class CallHandler {
  readonly #methods: Methods
  readonly #apiOf: (path: string) => RestrictedApi
  readonly #options: ResolvedTransportOptions
  readonly #streams = new Set<ServerStreamCall>()
  #isClosing = false

  /** @param apiOf what a method belongs to where APIs are restricted. */
  constructor(methods: Methods, apiOf: (path: string) => RestrictedApi, options: ResolvedTransportOptions) {
    this.#methods = methods
    this.#apiOf = apiOf
    this.#options = options
  }

  /** Begins to answer a call. Never throws. @param headers names and values in turn. */
  handle(stream: Http2Stream, headers: readonly string[], connection: Connection): void {
    const call = new ServerCall(stream, headers, connection, this.#options)
    const { metadata } = call
    if (metadata.get(':method') !== 'POST') call.refuse(405)
    else if (!metadata.get('content-type')?.startsWith('application/grpc')) call.refuse(415)
    else this.#admit(call)
  }

  /** Refuses new inference, and ends streams when what they have asked so far is answered. */
  close(): void {
    this.#isClosing = true
    for (const stream of this.#streams) stream.cut(new GrpcError('UNAVAILABLE', closing))
  }

  #admit(call: ServerCall): void {
    try {
      const { path, metadata } = call
      if (metadata.get('te') !== 'trailers') throw new GrpcError('INTERNAL', "the header 'te: trailers' is missing")
      const timeout = metadata.get('grpc-timeout')
      if (timeout !== undefined) call.limitTime(timeout)
      const api = this.#apiOf(path)
      const { access } = this.#options
      if (!access.guards(api)) {
        this.#serve(call, api)
        return
      }
      const header = (name: string): string | undefined => metadata.get(name)
      const { peer, signal } = call
      const refusal = access.check({ protocol: 'grpc', api, path, header, peer, signal })
      if (refusal instanceof Promise) void refusal.then((refusal) => this.#decide(call, api, refusal))
      else this.#decide(call, api, refusal)
    } catch (error) {
      call.fail(error)
    }
  }

  #decide(call: ServerCall, api: RestrictedApi, refusal: AccessRefusal | undefined): void {
    if (refusal !== undefined) {
      call.fail(new GrpcError(refusal.reason === 'restricted' ? 'UNAVAILABLE' : 'UNAUTHENTICATED', refusal.message))
      return
    }
    try {
      this.#serve(call, api)
    } catch (error) {
      call.fail(error)
    }
  }

  /** @throws GrpcError for a call that cannot be served. */
  #serve(call: ServerCall, api: RestrictedApi): void {
    if (call.hasEnded) return
    const { path, metadata } = call
    const method = this.#methods.get(path)
    if (method === undefined) throw new GrpcError('UNIMPLEMENTED', `unknown method '${path}'`)
    const isInference = api === 'inference'
    if (isInference && this.#isClosing) throw new GrpcError('UNAVAILABLE', closing)
    const { compressionLevel, maxReceiveMessageSize } = this.#options
    const encoding = encodingOf(metadata.get('grpc-encoding'))
    if (encoding === undefined) {
      const text = `unknown grpc-encoding '${metadata.get('grpc-encoding')}', this server reads ${acceptedEncodings}`
      throw new GrpcError('UNIMPLEMENTED', text)
    }
    if (isInference && compressionLevel !== 'none') {
      call.compress(responseEncoding(compressionLevel, metadata.get('grpc-accept-encoding')))
    }
    this.#start(call, method, new RequestMessages(encoding, maxReceiveMessageSize))
  }

  #start(call: ServerCall, method: Method, requests: RequestMessages): void {
    if (method.kind === 'unary') {
      call.read(new UnaryCall(call, method, requests))
      return
    }
    const stream = new ServerStreamCall(call, requests)
    call.read(stream)
    this.#streams.add(stream)
    void stream.serve(method).finally(() => this.#streams.delete(stream))
  }
}
