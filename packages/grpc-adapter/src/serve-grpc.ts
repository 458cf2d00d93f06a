import type { Server } from '@triton-ts/core'
import { isLoopback, type TlsOptions } from '@triton-ts/protocol'
import { apiOf } from './apis.ts'
import { createMethods } from './create-methods.ts'
import type { ServiceOptions } from './service-options.ts'
import { GrpcService } from './transport/grpc-service.ts'
import type { TransportOptions } from './transport/transport-options.ts'

export interface ServeGrpcOptions extends ServiceOptions, TransportOptions {
  /** Whether clients may register shared memory. Default: only where the host is a loopback address. */
  readonly sharedMemory?: boolean | undefined
  /** Default 8001; 0 takes any free port. */
  readonly port?: number | undefined
  /** Default `127.0.0.1`: this machine alone. `0.0.0.0` is every network that it is in. */
  readonly host?: string | undefined
  /** Default: no TLS. */
  readonly tls?: TlsOptions | undefined
}

/**
 * Serves `inference.GRPCInferenceService`, health checks and reflection on a port of its own.
 *
 * ```ts
 * await using grpc = await serveGrpc(server, { port: 8001 })
 * ```
 * @throws TritonError UNAVAILABLE when the port is taken, INVALID_ARG for options that make no sense.
 */
export async function serveGrpc(server: Server, options: ServeGrpcOptions = {}): Promise<GrpcService> {
  const { port = 8001, host = '127.0.0.1', sharedMemory = isLoopback(host) } = options
  return GrpcService.listen(createMethods(server, { ...options, sharedMemory }), apiOf, { ...options, port, host })
}
