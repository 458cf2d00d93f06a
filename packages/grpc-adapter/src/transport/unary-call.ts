import { GrpcError } from './grpc-status.ts'
import type { ReceivedMessage } from './message-reader.ts'
import type { MessageParts, UnaryMethod } from './method.ts'
import type { RequestMessages } from './request-messages.ts'
import type { RequestListener, ServerCall } from './server-call.ts'

/** A call with one request and one response. */
export class UnaryCall implements RequestListener {
  readonly #call: ServerCall
  readonly #method: UnaryMethod
  readonly #requests: RequestMessages
  readonly #messages: ReceivedMessage[] = []

  constructor(call: ServerCall, method: UnaryMethod, requests: RequestMessages) {
    this.#call = call
    this.#method = method
    this.#requests = requests
  }

  data(piece: Buffer): void {
    this.#call.consume(piece.byteLength)
    try {
      this.#requests.read(piece, this.#messages)
      if (this.#messages.length > 1) throw this.#cardinality('more than one request')
    } catch (error) {
      this.#call.fail(error)
    }
  }

  end(): void {
    if (this.#call.hasEnded) return
    try {
      this.#requests.end()
      const [message] = this.#messages
      if (message === undefined) throw this.#cardinality('no request')
      const request = this.#requests.content(message)
      if (request instanceof Promise) request.then((request) => this.#handle(request)).catch(this.#fail)
      else this.#handle(request)
    } catch (error) {
      this.#call.fail(error)
    }
  }

  #handle(request: Uint8Array): void {
    const response = this.#method.handle(request, this.#call)
    if (response instanceof Promise) response.then(this.#answer).catch(this.#fail)
    else this.#answer(response)
  }

  readonly #answer = (response: MessageParts): void => {
    this.#call.send(response)
    this.#call.end()
  }

  readonly #fail = (error: unknown): void => this.#call.fail(error)

  /** Source: grpc/doc/statuscodes.md. */
  #cardinality(what: string): GrpcError {
    return new GrpcError('UNIMPLEMENTED', `received ${what} for the unary method '${this.#call.path}'`)
  }
}
