import { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TritonError } from '@triton-ts/core'
import type { UniversalHandler } from '../universal.ts'
import { Connections } from './connections.ts'
import { NodeAdapter } from './node-adapter.ts'
import { pathOf } from './node-request.ts'
import { refuseBrokenRequest } from './refuse-broken-request.ts'

/** Where to listen. */
export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number
  readonly host: string
}

/** Milliseconds for requests that crossed with the decision to close: they are answered instead of reset. */
const crossingTime = 100

/** `close` of node:http cuts connections whose response is made but not sent yet; `Connections` ends them here. */
class DrainingHttpServer extends HttpServer {
  override closeIdleConnections(): void {}
}

/** A listening HTTP endpoint. */
export class HttpService {
  readonly #http: HttpServer
  readonly #connections = new Connections()
  #closed: Promise<void> | undefined

  private constructor(handler: UniversalHandler) {
    const adapter = new NodeAdapter(handler)
    this.#http = new DrainingHttpServer({ noDelay: true, keepAliveTimeout: 60_000 }, (request, response) => {
      this.#connections.track(request.socket, response)
      void adapter.handle(request, response, pathOf(request.url ?? ''))
    })
    this.#http.on('clientError', refuseBrokenRequest)
    this.#http.on('connection', (socket) => this.#connections.add(socket))
  }

  /** @throws TritonError UNAVAILABLE where nothing can listen, for instance because the port is taken. */
  static async listen(handler: UniversalHandler, { port, host }: ListenOptions): Promise<HttpService> {
    const service = new HttpService(handler)
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
