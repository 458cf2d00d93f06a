import type { Logger, Server } from '@triton-ts/core'
import { type Authorize, isLoopback, type TlsOptions } from '@triton-ts/protocol'
import { createHandler } from './handler.ts'
import type { HttpOptions } from './http-options.ts'
import { createMetricsHandler } from './metrics-handler.ts'
import type { ConnectionLimits } from './node/connection-limits.ts'
import { HttpService } from './node/http-service.ts'
import type { UniversalHandler } from './universal.ts'

export type { HttpOptions } from './http-options.ts'
export type { ConnectionLimits } from './node/connection-limits.ts'
export { HttpService } from './node/http-service.ts'

/** An endpoint of its own. */
export interface EndpointOptions extends ConnectionLimits {
  /** 0 takes any free port. */
  readonly port?: number | undefined
  /** Default `127.0.0.1`: this machine alone. `0.0.0.0` and `::` are for everybody who reaches it. */
  readonly host?: string | undefined
  /** Serves HTTPS. Default: HTTP. */
  readonly tls?: TlsOptions | undefined
}

/** The port is 8002 by default. */
export interface ServeMetricsOptions extends EndpointOptions {
  /** Asked before each answer, with the API `metrics`. Default: everybody who reaches the port may read them. */
  readonly authorize?: Authorize | undefined
  /** Hears of failures that are faults of this program. Default: the Server's. */
  readonly logger?: Logger | undefined
  /** Answers every path but `/metrics`: `createDashboard` of `@triton-ts/dashboard`, for instance. Default: empty pages. */
  readonly fallback?: UniversalHandler | undefined
}

/** The port is 8000 by default. */
export interface ServeHttpOptions extends HttpOptions, EndpointOptions {}

/**
 * Serves the KServe v2 protocol with Triton's extensions on an HTTP port of its own.
 *
 * ```ts
 * await using http = await serveHttp(server, { port: 8000 })
 * ```
 * @throws TritonError UNAVAILABLE when the port is taken, INVALID_ARG for options that make no sense.
 */
export async function serveHttp(server: Server, options: ServeHttpOptions = {}): Promise<HttpService> {
  const { port = 8000, host = loopback, sharedMemory = isLoopback(host) } = options
  return HttpService.listen(createHandler(server, { ...options, sharedMemory }), { ...options, port, host })
}

/**
 * Serves the Server's metrics at `/metrics` on a port of its own.
 * @throws TritonError UNAVAILABLE when the port is taken, INVALID_ARG for options that make no sense.
 */
export async function serveMetrics(server: Server, options: ServeMetricsOptions = {}): Promise<HttpService> {
  const { port = 8002, host = loopback } = options
  return HttpService.listen(createMetricsHandler(server, options), { ...options, port, host })
}

const loopback = '127.0.0.1'
