import type { GrpcError } from './grpc-status.ts'
import type { ReceivedMessage } from './message-reader.ts'
import type { Metadata } from './metadata.ts'
import type { MessageParts, StreamCall, StreamMethod } from './method.ts'
import type { RequestMessages } from './request-messages.ts'
import type { RequestListener, ServerCall } from './server-call.ts'

/** A call with any number of messages in both directions. */
export class ServerStreamCall implements StreamCall, RequestListener {
  readonly requests: AsyncIterableIterator<Uint8Array>
  readonly #call: ServerCall
  readonly #messages: RequestMessages
  readonly #received: ReceivedMessage[] = []
  /** Bytes that the client may send again once the messages that came are taken. */
  #held = 0
  #isEndless = false
  #isComplete = false
  #wasCut: GrpcError | undefined
  #wake: (() => void) | undefined

  constructor(call: ServerCall, messages: RequestMessages) {
    this.#call = call
    this.#messages = messages
    this.requests = this.#read()
  }

  get path(): string {
    return this.#call.path
  }

  get metadata(): Metadata {
    return this.#call.metadata
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  onCancel(cancel: () => void): void {
    this.#call.onCancel(cancel)
  }

  get peer(): string {
    return this.#call.peer
  }

  send(message: MessageParts): void {
    this.#call.send(message)
  }

  room(): Promise<void> | undefined {
    return this.#call.room()
  }

  /** Has the method answer, to the end of the call. Never rejects. */
  async serve(method: StreamMethod): Promise<void> {
    this.#isEndless = method.isEndless ?? false
    try {
      await method.handle(this)
      if (this.#wasCut !== undefined) throw this.#wasCut
      this.#call.end()
    } catch (error) {
      this.#call.fail(error)
    }
  }

  /**
   * Takes no more requests. Those that it has are answered, and then the call ends with this error: at once where there is
   * no end to the answers.
   */
  cut(error: GrpcError): void {
    this.#wasCut = error
    if (this.#isEndless) this.#call.fail(error)
    this.#complete()
  }

  data(piece: Buffer): void {
    this.#held += piece.byteLength
    if (this.#isComplete) return
    try {
      this.#messages.read(piece, this.#received)
    } catch (error) {
      this.#call.fail(error)
      this.#complete()
      return
    }
    if (this.#received.length === 0) this.#release()
    else this.#wakeUp()
  }

  end(): void {
    try {
      if (!this.#isComplete) this.#messages.end()
    } catch (error) {
      this.#call.fail(error)
    }
    this.#complete()
  }

  #complete(): void {
    this.#isComplete = true
    this.#wakeUp()
  }

  #wakeUp(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  #release(): void {
    this.#call.consume(this.#held)
    this.#held = 0
  }

  async *#read(): AsyncGenerator<Uint8Array, undefined> {
    for (;;) {
      const message = this.#received.shift()
      if (message !== undefined) yield await this.#messages.content(message)
      else if (this.#isComplete) return
      else {
        this.#release()
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }
}
