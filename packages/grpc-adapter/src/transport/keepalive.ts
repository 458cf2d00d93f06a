import type { Timer } from '@triton-ts/core'
import type { Http2Connection } from '../http2/http2-connection.ts'
import type { ResolvedTransportOptions } from './transport-options.ts'

/** Asks a client from which nothing comes whether it is still there, and cuts it when it is not. */
export class Keepalive {
  readonly #http2: Http2Connection
  readonly #options: ResolvedTransportOptions
  #received = 0
  #pings = 0
  #timer: Timer

  constructor(http2: Http2Connection, options: ResolvedTransportOptions) {
    this.#http2 = http2
    this.#options = options
    this.#timer = this.#wait()
  }

  /** A response was sent. */
  forget(): void {
    this.#pings = 0
  }

  stop(): void {
    this.#timer.cancel()
  }

  #wait(): Timer {
    return this.#options.clock.schedule(() => this.#look(), this.#options.keepaliveTime)
  }

  #look(): void {
    const { bytesRead } = this.#http2
    const wasSilent = bytesRead === this.#received
    this.#received = bytesRead
    if (wasSilent && this.#mayPing) this.#ping()
    else this.#timer = this.#wait()
  }

  get #mayPing(): boolean {
    const { keepalivePermitWithoutCalls, maxPingsWithoutData: most } = this.#options
    return (keepalivePermitWithoutCalls || this.#http2.streams > 0) && (most === 0 || this.#pings < most)
  }

  #ping(): void {
    this.#pings++
    this.#timer = this.#options.clock.schedule(() => this.#http2.destroy(), this.#options.keepaliveTimeout)
    this.#http2.ping(() => {
      this.#timer.cancel()
      this.#timer = this.#wait()
    })
  }
}
