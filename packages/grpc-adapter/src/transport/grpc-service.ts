import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { type Timer, TritonError } from '@triton-ts/core'
import { Endpoint, type EndpointAddress, type RestrictedApi, type TlsOptions } from '@triton-ts/protocol'
import { CallHandler } from './call-handler.ts'
import { Connection } from './connection.ts'
import type { Methods } from './method.ts'
import { type ResolvedTransportOptions, resolveTransportOptions, type TransportOptions } from './transport-options.ts'

/** Where to listen, and how. */
export interface ListenOptions extends TransportOptions, EndpointAddress {
  /** Default: no TLS. */
  readonly tls?: TlsOptions | undefined
}

/**
 * A listening gRPC endpoint. Closing it takes no more connections and no more inference, waits for running calls and ends
 * streams when what they have asked is answered.
 */
export class GrpcService extends Endpoint {
  readonly #net: Server
  readonly #handler: CallHandler
  readonly #options: ResolvedTransportOptions
  readonly #connections = new Set<Connection>()
  /** Those of TLS that have not shaken hands yet, too. */
  readonly #sockets = new Set<Socket>()

  private constructor(handler: CallHandler, options: ResolvedTransportOptions, tls: TlsOptions | undefined) {
    const serve = (socket: Socket): void => this.#serve(socket)
    const net = tls === undefined ? createServer(serve) : createTls(tls, options, serve)
    super(net)
    this.#net = net
    this.#handler = handler
    this.#options = options
    net.maxConnections = options.maxConnections
    net.on('connection', (socket: Socket) => {
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
    await service.listenAt({ port, host })
    return service
  }

  protected override async drain(timeout: number): Promise<void> {
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

  #serve(socket: Socket): void {
    const connection = new Connection(socket, this.#handler, this.#options, this.#forget)
    this.#connections.add(connection)
    if (this.isClosing) connection.drain()
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
