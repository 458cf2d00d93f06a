import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { bodySize, type UniversalHandler, type UniversalResponse } from '../universal.ts'
import { NodeRequest, type SuppliedBody } from './node-request.ts'

/** Puts a handler to requests of node:http and of the frameworks that are made of it. */
export class NodeAdapter {
  readonly #handler: UniversalHandler
  /** One for each connection, since making one for each request costs as much as the rest of a small request. */
  readonly #signals = new WeakMap<Socket, AbortSignal>()
  /** From now on connections are not kept after their response. */
  isClosing = false

  constructor(handler: UniversalHandler) {
    this.#handler = handler
  }

  /** Answers a request. Resolves when the response is handed to the connection. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    supplied?: SuppliedBody | undefined,
  ): Promise<void> {
    const universal = new NodeRequest(request, path, this.#signalOf(request.socket), supplied)
    const answer = await this.#handler(universal)
    if (this.isClosing || universal.mustClose) response.shouldKeepAlive = false
    send(response, answer)
  }

  #signalOf(socket: Socket): AbortSignal {
    const known = this.#signals.get(socket)
    if (known !== undefined) return known
    const controller = new AbortController()
    socket.once('close', () => controller.abort())
    this.#signals.set(socket, controller.signal)
    return controller.signal
  }
}

function send(response: ServerResponse, { status, headers, body }: UniversalResponse): void {
  if (response.destroyed) return
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
