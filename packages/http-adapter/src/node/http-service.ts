import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { TritonError } from '@triton-ts/core'
import type { TlsOptions } from '@triton-ts/protocol'
import type { UniversalHandler } from '../universal.ts'
import { type ConnectionLimits, type ResolvedConnectionLimits, resolveConnectionLimits } from './connection-limits.ts'
import { Connections } from './connections.ts'
import { drainingServer } from './draining-server.ts'
import { NodeAdapter } from './node-adapter.ts'
import { pathOf } from './node-request.ts'
import { refuseBrokenRequest, refuseTooManyHeaders } from './refuse-broken-request.ts'

/** Where to listen, and for whom. */
export interface ListenOptions extends ConnectionLimits {
  /** 0 takes any free port. */
  readonly port: number
  readonly host: string
  readonly tls?: TlsOptions | undefined
}

/** Milliseconds for requests that crossed with the decision to close: they are answered instead of reset. */
const crossingTime = 100

/** A listening HTTP endpoint. */
export class HttpService {
  readonly #http: HttpServer
  readonly #adapter: NodeAdapter
  readonly #connections: Connections
  readonly #limits: ResolvedConnectionLimits
  #closed: Promise<void> | undefined

  private constructor(handler: UniversalHandler, options: ListenOptions) {
    const { tls } = options
    this.#limits = resolveConnectionLimits(options)
    this.#adapter = new NodeAdapter(handler, this.#limits.sendTimeout)
    this.#connections = new Connections(this.#limits.maxPipelinedRequests)
    this.#http = drainingServer((request, response) => this.#answer(request, response), this.#limits, tls)
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
    const { port, host } = options
    const service = new HttpService(handler, options)
    await new Promise<void>((resolve, reject) => {
      // Stays on: a connection that cannot be accepted later, for want of descriptors, is no reason to fall.
      service.#http.on('error', (error: NodeJS.ErrnoException) => {
        const text =
          error.code === 'EADDRINUSE'
            ? `Socket '${host}:${port}' already in use `
            : `failed to listen at '${host}:${port}': ${error.message}`
        reject(new TritonError('UNAVAILABLE', text, { cause: error }))
      })
      service.#http.listen(port, host, resolve)
    })
    return service
  }

  /** The port that it listens at. */
  get port(): number {
    return this.#info.port
  }

  /** The address that it listens at. */
  get address(): string {
    return this.#info.address
  }

  get #info(): AddressInfo {
    const info = this.#http.address()
    if (info === null || typeof info === 'string') throw new TritonError('UNAVAILABLE', 'the endpoint is closed')
    return info
  }

  /**
   * Takes no more connections, closes idle ones after a moment and waits for running requests; what is left after `timeout` seconds is
   * cut. Later calls return the first one's promise.
   * @param timeout default 30.
   */
  close({ timeout = 30 }: { readonly timeout?: number | undefined } = {}): Promise<void> {
    this.#closed ??= this.#close(timeout)
    return this.#closed
  }

  async #close(timeout: number): Promise<void> {
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

  /** `close()` with the default timeout. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
