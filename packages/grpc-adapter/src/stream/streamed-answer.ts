import type { InferenceResponse, ResponseListener, TritonError } from '@triton-ts/core'
import type { ClassSource } from '@triton-ts/protocol'
import type { GrpcRequest } from '../infer/grpc-request.ts'
import type { WireRequest } from '../infer/wire-request.ts'
import { messageSize } from '../transport/message-size.ts'
import type { MessageParts } from '../transport/method.ts'
import type { InferStream } from './infer-stream.ts'
import type { Turn } from './turns.ts'

/**
 * The responses to one request of a stream. Those of a decoupled model are sent as they come; the one response of another
 * model, or why it failed, when it is the request's turn.
 */
export class StreamedAnswer implements ResponseListener {
  /** Of what replaces outputs by classes, where the request asks for it. */
  classes: ClassSource | undefined
  readonly #stream: InferStream
  readonly #wire: WireRequest
  readonly #request: GrpcRequest
  #turn: Turn | undefined
  /** While outputs are stored in shared memory; what comes after waits for it. */
  #storing: Promise<void> | undefined

  constructor(stream: InferStream, wire: WireRequest, request: GrpcRequest) {
    this.#stream = stream
    this.#wire = wire
    this.#request = request
    this.#turn = stream.turns.take()
  }

  /** The model is decoupled: its responses have no order among those of others. */
  leaveOrder(): void {
    this.#turn?.end()
    this.#turn = undefined
  }

  /** The request was not taken. Triton tells nothing of it then but its id, and the stream goes on in every mode. */
  refuse(error: unknown): void {
    const message = this.#stream.textOf(error)
    this.#send(this.#stream.writer.writeEmpty({ id: this.#wire.id }, undefined, message))
    this.#end()
  }

  room(): Promise<void> | undefined {
    return this.#stream.room()
  }

  onResponse(response: InferenceResponse, isFinal: boolean): void {
    this.#inOrder(() => this.#respond(response, isFinal))
  }

  onEnd(): void {
    this.#inOrder(() => {
      if (this.#request.wantsEmptyFinal) this.#send(this.#stream.writer.writeEmpty(this.#wire, true))
      this.#end()
    })
  }

  onError(error: TritonError): void {
    this.#inOrder(() => this.#fail(error, true))
  }

  /** Does it at once, or when the outputs before it are stored. */
  #inOrder(work: () => void | Promise<void>): void {
    const storing = this.#storing === undefined ? work() : this.#storing.then(work)
    if (storing !== undefined) this.#storing = storing
  }

  #respond(response: InferenceResponse, isFinal: boolean): void | Promise<void> {
    if (response.error !== undefined) return this.#fail(response.error, isFinal)
    try {
      const storing = this.#request.regions?.write(response.outputs)
      if (storing === undefined) return this.#write(response, isFinal)
      return storing.then(
        () => this.#write(response, isFinal),
        (error: unknown) => this.#fail(error, isFinal),
      )
    } catch (error) {
      this.#fail(error, isFinal)
    }
  }

  #write(response: InferenceResponse, isFinal: boolean): void {
    try {
      const message = this.#stream.writer.writeStreamed(response, this.#request, this.classes, isFinal)
      messageSize(message)
      this.#send(message)
      if (isFinal) this.#end()
    } catch (error) {
      this.#fail(error, isFinal)
    }
  }

  #fail(error: unknown, isFinal: boolean): void {
    if (this.#stream.endsWithErrors) this.#stream.fail(error)
    else this.#send(this.#stream.writer.writeEmpty(this.#wire, isFinal, this.#stream.textOf(error)))
    if (isFinal) this.#end()
  }

  #send(message: MessageParts): void {
    this.#request.trace?.mark('GRPC_SEND_START')
    if (this.#turn === undefined) this.#stream.send(message)
    else this.#turn.end(message)
    this.#turn = undefined
    this.#request.trace?.mark('GRPC_SEND_END')
  }

  #end(): void {
    this.leaveOrder()
    this.#request.trace?.release()
    this.#request.regions?.release()
    this.#stream.answered()
  }
}
