import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'

/**
 * What the proxy does instead of passing a request on: answers with a status, resets the connection, says nothing;
 * or passes on half of the answer and then ends the connection (`truncate`) or falls silent (`stall`), or all of it with
 * another last byte (`corrupt`).
 */
export type Fault = { status: number; body?: string } | 'reset' | 'hang' | 'truncate' | 'stall' | 'corrupt'

/** A proxy on a port of this machine that a real server stands behind. Tests say what becomes of each request. */
export class FaultyProxy {
  readonly #server: Server
  readonly #target: URL
  #unanswered = 0
  /** Decides for each request; undefined passes it on. */
  fault: (request: IncomingMessage) => Fault | undefined = () => undefined
  /** Methods and paths of all requests, in their order. */
  readonly seen: string[] = []

  static async start(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(new URL(target))
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  private constructor(target: URL) {
    this.#target = target
    this.#server = createServer((incoming, outgoing) => this.#serve(incoming, outgoing))
  }

  get origin(): string {
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  }

  /** How many requests wait for an answer or the rest of it. */
  get unanswered(): number {
    return this.#unanswered
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  #serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#unanswered++
    outgoing.once('close', () => {
      this.#unanswered--
    })
    this.seen.push(`${incoming.method} ${incoming.url}`)
    const fault = this.fault(incoming)
    if (fault === 'hang') return
    if (fault === 'reset') {
      incoming.socket.resetAndDestroy()
      return
    }
    if (typeof fault === 'object') {
      outgoing.writeHead(fault.status, { 'content-type': 'application/xml' }).end(fault.body ?? '')
      return
    }
    const { hostname, port } = this.#target
    const options = {
      hostname,
      port,
      path: incoming.url,
      method: incoming.method,
      headers: incoming.headers,
      agent: false,
    }
    const forwarded = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      if (fault === undefined) answer.pipe(outgoing)
      else spoiled(answer, outgoing, fault).catch(() => outgoing.destroy())
    })
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  }
}

async function spoiled(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  fault: 'truncate' | 'stall' | 'corrupt',
): Promise<void> {
  const body = Buffer.concat(await answer.toArray())
  if (fault === 'corrupt') {
    outgoing.end(Buffer.concat([body.subarray(0, -1), Buffer.of(body.at(-1) === 0 ? 1 : 0)]))
    return
  }
  outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => {
    if (fault === 'truncate') outgoing.socket?.end()
  })
}
