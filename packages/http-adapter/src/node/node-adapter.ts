import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { bodySize, isStreamed, type UniversalHandler, type WholeResponse } from '../universal.ts'
import { NodeRequest, type SuppliedBody } from './node-request.ts'
import { sendStream } from './send-stream.ts'
import { cutSlowReader } from './slow-reader.ts'
import { isOver, whenOver } from './when-over.ts'

/** An answer, and where to send it. */
interface Sendable {
  readonly response: ServerResponse
  readonly answer: WholeResponse
  /** Of the connection. */
  readonly signal: AbortSignal
}

/** Puts a handler to requests of node:http and of the frameworks that are made of it. */
export class NodeAdapter {
  readonly #handler: UniversalHandler
  readonly #sendTimeout: number | undefined
  /** One for each connection, since making one for each request costs as much as the rest of a small request. */
  readonly #signals = new WeakMap<Socket, AbortSignal>()
  #answers: Sendable[] = []

  /** @param sendTimeout milliseconds in which a client must take something of its answer; without it there is no limit. */
  constructor(handler: UniversalHandler, sendTimeout?: number) {
    this.#handler = handler
    this.#sendTimeout = sendTimeout
  }

  /** Answers a request; a streamed answer to its end. Never rejects. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    supplied?: SuppliedBody | undefined,
  ): Promise<void> {
    const signal = this.#signalOf(request.socket)
    const universal = new NodeRequest(request, path, signal, supplied)
    const answer = await this.#handler(universal)
    if (universal.mustClose) response.shouldKeepAlive = false
    if (isStreamed(answer)) await sendStream(response, answer, signal, this.#sendTimeout)
    else this.#sendSoon({ response, answer, signal })
  }

  /**
   * Sends what is answered in one turn of the event loop together at its end. Clients are then woken once for many
   * responses, which under load saves more than the wait costs.
   */
  #sendSoon(sendable: Sendable): void {
    this.#answers.push(sendable)
    if (this.#answers.length > 1) return
    setImmediate(() => {
      const answers = this.#answers
      this.#answers = []
      for (const sendable of answers) this.#send(sendable)
    })
  }

  #signalOf(socket: Socket): AbortSignal {
    const known = this.#signals.get(socket)
    if (known !== undefined) return known
    const controller = new AbortController()
    // Every request of a pipeline listens.
    setMaxListeners(0, controller.signal)
    if (socket.destroyed) controller.abort()
    else socket.once('close', () => controller.abort())
    this.#signals.set(socket, controller.signal)
    return controller.signal
  }

  #send({ response, answer, signal }: Sendable): void {
    const { delivery } = answer
    if (isOver(response, signal)) {
      delivery?.end()
      return
    }
    delivery?.begin()
    if (delivery !== undefined) whenOver(response, signal, () => delivery.end())
    send(response, answer)
    if (this.#sendTimeout !== undefined) cutSlowReader(response, this.#sendTimeout)
  }
}

function send(response: ServerResponse, { status, headers, body }: WholeResponse): void {
  response.writeHead(status, [...headers, 'Content-Length', String(bodySize(body))])
  if (typeof body === 'string') {
    response.end(body, 'latin1')
    return
  }
  // One system call for all parts.
  response.cork()
  for (const part of body) response.write(part)
  response.end()
  response.uncork()
}
