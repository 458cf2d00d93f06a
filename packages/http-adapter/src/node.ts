import type { Server } from '@triton-ts/core'
import { createHandler } from './handler.ts'
import type { HttpOptions } from './http-options.ts'
import { createMetricsHandler } from './metrics-handler.ts'
import { HttpService } from './node/http-service.ts'

export type { HttpOptions } from './http-options.ts'
export { HttpService } from './node/http-service.ts'

export interface ServeMetricsOptions {
  /** Default 8002; 0 takes any free port. */
  readonly port?: number | undefined
  /** Default `0.0.0.0`. */
  readonly host?: string | undefined
}

export interface ServeHttpOptions extends HttpOptions {
  /** Default 8000; 0 takes any free port. */
  readonly port?: number | undefined
  /** Default `0.0.0.0`. */
  readonly host?: string | undefined
}

/**
 * Serves the KServe v2 protocol with Triton's extensions on an HTTP port of its own.
 *
 * ```ts
 * await using http = await serveHttp(server, { port: 8000 })
 * ```
 * @throws TritonError UNAVAILABLE when the port is taken, INVALID_ARG for options that make no sense.
 */
export async function serveHttp(server: Server, options: ServeHttpOptions = {}): Promise<HttpService> {
  const { port = 8000, host = '0.0.0.0' } = options
  return HttpService.listen(createHandler(server, options), { port, host })
}

/**
 * Serves the Server's metrics at `/metrics` on a port of its own.
 * @throws TritonError UNAVAILABLE when the port is taken.
 */
export async function serveMetrics(server: Server, options: ServeMetricsOptions = {}): Promise<HttpService> {
  const { port = 8002, host = '0.0.0.0' } = options
  return HttpService.listen(createMetricsHandler(server), { port, host })
}
