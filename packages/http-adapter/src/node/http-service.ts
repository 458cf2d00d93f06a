import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Endpoint, type EndpointAddress, type TlsOptions } from '@triton-ts/protocol'
import type { UniversalHandler } from '../universal.ts'
import { type ConnectionLimits, type ResolvedConnectionLimits, resolveConnectionLimits } from './connection-limits.ts'
import { Connections } from './connections.ts'
import { drainingServer } from './draining-server.ts'
import { NodeAdapter } from './node-adapter.ts'
import { pathOf } from './node-request.ts'
import { refuseBrokenRequest, refuseTooManyHeaders } from './refuse-broken-request.ts'

/** Where to listen, and for whom. */
export interface ListenOptions extends ConnectionLimits, EndpointAddress {
  readonly tls?: TlsOptions | undefined
}

/** Milliseconds for requests that crossed with the decision to close: they are answered instead of reset. */
const crossingTime = 100

/** A listening HTTP endpoint. Closing it closes idle connections after a moment. */
export class HttpService extends Endpoint {
  readonly #http: HttpServer
  readonly #adapter: NodeAdapter
  readonly #connections: Connections
  readonly #limits: ResolvedConnectionLimits

  private constructor(handler: UniversalHandler, options: ListenOptions) {
    const { tls } = options
    const limits = resolveConnectionLimits(options)
    const http = drainingServer((request, response) => this.#answer(request, response), limits, tls)
    super(http)
    this.#http = http
    this.#limits = limits
    this.#adapter = new NodeAdapter(handler, limits.sendTimeout)
    this.#connections = new Connections(limits.maxPipelinedRequests)
    // Expectations may be ignored (RFC 9110, 10.1.1); node:http would refuse what it does not know without a word.
    this.#http.on('checkExpectation', (request, response) => this.#answer(request, response))
    this.#http.on('clientError', (error, socket) => {
      // node:http passes the sockets that it has accepted.
      if (this.#connections.canRefuse(socket as Socket)) refuseBrokenRequest(error, socket)
    })
    this.#http.on('connection', (socket) => {
      if (tls === undefined) this.#connections.add(socket)
      else this.#connections.addHandshake(socket)
    })
    this.#http.on('secureConnection', (socket) => this.#connections.add(socket))
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.#connections.track(request.socket, response)
    // Names and values in turn.
    if (request.rawHeaders.length > 2 * this.#limits.maxHeaders) refuseTooManyHeaders(response)
    else void this.#adapter.handle(request, response, pathOf(request.url ?? ''))
  }

  /**
   * @throws TritonError UNAVAILABLE where nothing can listen, for instance because the port is taken, INVALID_ARG for
   *   limits that make no sense and for a key or certificate that cannot be used.
   */
  static async listen(handler: UniversalHandler, options: ListenOptions): Promise<HttpService> {
    const service = new HttpService(handler, options)
    await service.listenAt(options)
    return service
  }

  protected override async drain(timeout: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#http.close(() => resolve())
    })
    this.#connections.close()
    const timers = [
      setTimeout(() => this.#connections.closeIdle(), crossingTime),
      setTimeout(() => this.#http.closeAllConnections(), timeout * 1000),
    ]
    await closed
    for (const timer of timers) clearTimeout(timer)
  }
}
