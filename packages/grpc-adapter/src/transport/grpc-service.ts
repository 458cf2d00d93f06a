import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { type Timer, TritonError } from '@triton-ts/core'
import type { RestrictedApi, TlsOptions } from '@triton-ts/protocol'
import { CallHandler } from './call-handler.ts'
import { Connection } from './connection.ts'
import type { Methods } from './method.ts'
import { type ResolvedTransportOptions, resolveTransportOptions, type TransportOptions } from './transport-options.ts'

/** Where to listen, and how. */
export interface ListenOptions extends TransportOptions {
  /** 0 takes any free port. */
  readonly port: number
  readonly host: string
  /** Default: no TLS. */
  readonly tls?: TlsOptions | undefined
}

/** A listening gRPC endpoint. */
export class GrpcService {
  readonly #net: Server
  readonly #handler: CallHandler
  readonly #options: ResolvedTransportOptions
  readonly #connections = new Set<Connection>()
  /** Those of TLS that have not shaken hands yet, too. */
  readonly #sockets = new Set<Socket>()
  #closed: Promise<void> | undefined

  private constructor(handler: CallHandler, options: ResolvedTransportOptions, tls: TlsOptions | undefined) {
    this.#handler = handler
    this.#options = options
    this.#net = tls === undefined ? createServer(this.#serve) : createTls(tls, options, this.#serve)
    this.#net.maxConnections = options.maxConnections
    this.#net.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /**
   * @param apiOf what a method belongs to where APIs are restricted.
   * @throws TritonError UNAVAILABLE where nothing can listen, for instance because the port is taken; INVALID_ARG for
   * options that make no sense.
   */
  static async listen(
    methods: Methods,
    apiOf: (path: string) => RestrictedApi,
    { port, host, tls, ...options }: ListenOptions,
  ): Promise<GrpcService> {
    const resolved = resolveTransportOptions(options)
    const service = new GrpcService(new CallHandler(methods, apiOf, resolved), resolved, tls)
    await new Promise<void>((resolve, reject) => {
      // Stays on: a connection that cannot be accepted later, for want of descriptors, is no reason to fall.
      service.#net.on('error', (error: NodeJS.ErrnoException) => {
        const text =
          error.code === 'EADDRINUSE'
            ? `Socket '${host}:${port}' already in use `
            : `failed to listen at '${host}:${port}': ${error.message}`
        reject(new TritonError('UNAVAILABLE', text, { cause: error }))
      })
      service.#net.listen(port, host, resolve)
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
    const info = this.#net.address()
    if (info === null || typeof info === 'string') throw new TritonError('UNAVAILABLE', 'the endpoint is closed')
    return info
  }

  /**
   * Takes no more connections and no more inference, waits for running calls and ends streams when what they have asked
   * is answered; what is left after `timeout` seconds is cut. Later calls return the first one's promise.
   * @param timeout default 30.
   */
  close({ timeout = 30 }: { readonly timeout?: number | undefined } = {}): Promise<void> {
    this.#closed ??= this.#close(timeout)
    return this.#closed
  }

  async #close(timeout: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#net.close(() => resolve())
    })
    this.#handler.close()
    for (const connection of this.#connections) connection.drain()
    const timer: Timer = this.#options.clock.schedule(() => {
      for (const connection of this.#connections) connection.destroy()
      for (const socket of this.#sockets) socket.destroy()
    }, timeout * 1000)
    await closed
    timer.cancel()
  }

  /** `close()` with the default timeout. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  readonly #serve = (socket: Socket): void => {
    const connection = new Connection(socket, this.#handler, this.#options, this.#forget)
    this.#connections.add(connection)
    if (this.#closed !== undefined) connection.drain()
  }

  readonly #forget = (connection: Connection): void => {
    this.#connections.delete(connection)
  }
}

/** @throws TritonError INVALID_ARG for keys and certificates that are none. */
function createTls(
  { key, cert, ca }: TlsOptions,
  { handshakeTimeout }: ResolvedTransportOptions,
  serve: (socket: Socket) => void,
): Server {
  const pem = (text: TlsOptions['key']): string | Buffer => (typeof text === 'string' ? text : Buffer.from(text))
  const clients = ca !== undefined && { ca: pem(ca), requestCert: true, rejectUnauthorized: true }
  try {
    const keys = { key: pem(key), cert: pem(cert), ...clients }
    const server = createTlsServer({ ...keys, ALPNProtocols: ['h2'], handshakeTimeout }, serve)
    // Of a handshake that takes too long Node tells, but leaves the connection open.
    return server.on('tlsClientError', (_, socket) => socket.destroy())
  } catch (error) {
    const text = `failed to use the TLS certificates: ${(error as Error).message}`
    throw new TritonError('INVALID_ARG', text, { cause: error })
  }
}
