import type { Clock } from '@triton-ts/core'
import type { ResolvedTransportOptions } from './transport-options.ts'

/** Least milliseconds between two pings of a client that has no calls, unless it may. */
const intervalWithoutCalls = 7_200_000

/**
 * Counts pings that a client sends too often.
 * Source: grpc/doc/keepalive.md and grpc_core, chttp2/transport/ping_abuse_policy.cc.
 */
export class PingStrikes {
  readonly #clock: Clock
  readonly #interval: number
  readonly #intervalWithoutCalls: number
  readonly #most: number
  #strikes = 0
  #last = Number.NEGATIVE_INFINITY

  constructor(options: ResolvedTransportOptions) {
    this.#clock = options.clock
    this.#interval = options.minPingInterval
    this.#intervalWithoutCalls = options.keepalivePermitWithoutCalls ? 0 : intervalWithoutCalls
    this.#most = options.maxPingStrikes
  }

  /** A response was sent: what pings came before is forgotten. */
  forget(): void {
    this.#strikes = 0
    this.#last = Number.NEGATIVE_INFINITY
  }

  /** @returns whether this ping was one too many. */
  add(hasCalls: boolean): boolean {
    const now = this.#clock.now()
    const interval = hasCalls ? this.#interval : Math.max(this.#interval, this.#intervalWithoutCalls)
    if (now - this.#last < interval) this.#strikes++
    this.#last = now
    return this.#most > 0 && this.#strikes > this.#most
  }
}
