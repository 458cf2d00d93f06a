import type { Socket } from 'node:net'
import type { Timer } from '@triton-ts/core'
import type { ConnectionListener } from '../http2/connection-listener.ts'
import { Http2Connection } from '../http2/http2-connection.ts'
import type { Http2Stream } from '../http2/http2-stream.ts'
import type { CallHandler } from './call-handler.ts'
import { Keepalive } from './keepalive.ts'
import { PingStrikes } from './ping-strikes.ts'
import { endless, type ResolvedTransportOptions } from './transport-options.ts'

/** Milliseconds for calls that crossed with the word that no more are taken: they are answered, not reset. */
const crossingTime = 100

/** A connection of a client, from its first frame to its end. */
export class Connection implements ConnectionListener {
  readonly #http2: Http2Connection
  readonly #handler: CallHandler
  readonly #options: ResolvedTransportOptions
  readonly #onClose: (connection: Connection) => void
  readonly #keepalive: Keepalive
  readonly #strikes: PingStrikes
  readonly #handshake: Timer
  readonly #timers: Timer[]
  #isDraining = false

  /** @param onClose called once when it is closed. */
  constructor(
    socket: Socket,
    handler: CallHandler,
    options: ResolvedTransportOptions,
    onClose: (connection: Connection) => void,
  ) {
    const limits = { maxConcurrentStreams: options.maxConcurrentCalls, maxHeaderListSize: options.maxMetadataSize }
    this.#http2 = new Http2Connection(socket, limits, this, options.clock)
    this.#handler = handler
    this.#options = options
    this.#onClose = onClose
    this.#keepalive = new Keepalive(this.#http2, options)
    this.#strikes = new PingStrikes(options)
    this.#handshake = options.clock.schedule(() => this.destroy(), options.handshakeTimeout)
    this.#timers = [this.#handshake]
    if (options.maxConnectionAge < endless) this.#after(options.maxConnectionAge, () => this.#retire())
  }

  /** The address of the client. */
  get peer(): string {
    return this.#http2.peer
  }

  /** Something of a response was sent. Source: grpc_core, chttp2, which forgets pings at each frame of HEADERS and DATA. */
  sent(): void {
    this.#strikes.forget()
    this.#keepalive.forget()
  }

  /** Takes no more calls, in two steps as RFC 9113, section 6.8, has it, and closes when there are none. */
  drain(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    this.#http2.announceEnd()
    this.#after(crossingTime, () => this.#http2.endWhenIdle())
  }

  /** Closes at once. */
  destroy(): void {
    this.#http2.destroy()
  }

  open(): void {
    this.#handshake.cancel()
  }

  stream(stream: Http2Stream, headers: string[]): void {
    this.#handler.handle(stream, headers, this)
  }

  ping(): void {
    if (this.#strikes.add(this.#http2.streams > 0)) this.#http2.fail('ENHANCE_YOUR_CALM', 'too_many_pings')
  }

  fault(error: unknown): void {
    this.#options.logger.error({ err: error }, 'connection failed unexpectedly')
  }

  close(): void {
    this.#keepalive.stop()
    for (const timer of this.#timers) timer.cancel()
    this.#onClose(this)
  }

  #retire(): void {
    this.drain()
    const { maxConnectionAgeGrace: grace } = this.#options
    if (grace < endless) this.#after(grace, () => this.destroy())
  }

  #after(time: number, callback: () => void): void {
    this.#timers.push(this.#options.clock.schedule(callback, time))
  }
}
