import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { TritonError } from '@triton-ts/core'
import type { UniversalHandler } from '../universal.ts'
import { NodeAdapter } from './node-adapter.ts'
import { pathOf } from './node-request.ts'
import { refuseBrokenRequest } from './refuse-broken-request.ts'

/** Where to listen. */
export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number
  readonly host: string
}

/** A listening HTTP endpoint. */
export class HttpService {
  readonly #http: HttpServer
  readonly #adapter: NodeAdapter
  readonly #sockets = new Set<Socket>()
  #closed: Promise<void> | undefined

  private constructor(handler: UniversalHandler) {
    this.#adapter = new NodeAdapter(handler)
    this.#http = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (request, response) => {
      void this.#adapter.handle(request, response, pathOf(request.url ?? ''))
    })
    this.#http.on('clientError', refuseBrokenRequest)
    this.#http.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /** @throws TritonError UNAVAILABLE where nothing can listen, for instance because the port is taken. */
  static async listen(handler: UniversalHandler, { port, host }: ListenOptions): Promise<HttpService> {
    const service = new HttpService(handler)
    await new Promise<void>((resolve, reject) => {
      service.#http.once('error', (error: NodeJS.ErrnoException) => {
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
   * Takes no more connections, closes idle ones and waits for running requests; what is left after `timeout` seconds is
   * cut. Later calls return the first one's promise.
   * @param timeout default 30.
   */
  close({ timeout = 30 }: { readonly timeout?: number | undefined } = {}): Promise<void> {
    this.#closed ??= this.#close(timeout)
    return this.#closed
  }

  async #close(timeout: number): Promise<void> {
    this.#adapter.isClosing = true
    const closed = new Promise<void>((resolve) => {
      this.#http.close(() => resolve())
    })
    this.#http.closeIdleConnections()
    // node:http does not count a connection that has sent nothing as idle.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
    const timer = setTimeout(() => this.#http.closeAllConnections(), timeout * 1000)
    await closed
    clearTimeout(timer)
  }

  /** `close()` with the default timeout. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
