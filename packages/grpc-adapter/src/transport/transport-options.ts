import { type Clock, type Logger, silentLogger, systemClock, TritonError } from '@triton-ts/core'
import { Access, type AccessOptions } from '@triton-ts/protocol'
import type { CompressionLevel } from './message-encoding.ts'
import { maxMessageSize } from './message-size.ts'

/** What the transport allows its clients and how it looks after connections. Sizes in bytes, times in milliseconds. */
export interface TransportOptions extends AccessOptions {
  /** Size that a request may have, compressed and not; beyond it RESOURCE_EXHAUSTED. Default and most: 2^31 - 1. */
  readonly maxReceiveMessageSize?: number | undefined
  /** Compression of inference responses for clients that read it. Default `none`. */
  readonly compressionLevel?: CompressionLevel | undefined
  /** Connections at the same time; more are closed as they come. Default 10,000. */
  readonly maxConnections?: number | undefined
  /** Calls of one connection at the same time; clients keep more back. Default 1,000. */
  readonly maxConcurrentCalls?: number | undefined
  /** Size of the metadata of a call, with 32 for each name; beyond it the call is reset. Default 16 KiB. */
  readonly maxMetadataSize?: number | undefined
  /** Time for the handshake of TLS, and for the first frame of a connection. Default 20,000. */
  readonly handshakeTimeout?: number | undefined
  /** A connection that was silent for this long is asked whether it is still there. Default 7,200,000. */
  readonly keepaliveTime?: number | undefined
  /** Time for the answer to that; then the connection is closed. Default 20,000. */
  readonly keepaliveTimeout?: number | undefined
  /** Whether a connection without calls is asked too, and whether clients may ask without calls. Default false. */
  readonly keepalivePermitWithoutCalls?: boolean | undefined
  /** Times that it is asked without a response in between; 0 is any number. Default 2. */
  readonly maxPingsWithoutData?: number | undefined
  /** Least time between two pings of a client without a response in between. Default 300,000. */
  readonly minPingInterval?: number | undefined
  /** Pings before that time until a client is told `too_many_pings` and loses its connection; 0 is any number. Default 2. */
  readonly maxPingStrikes?: number | undefined
  /** Age at which a connection takes no more calls, so that its client makes another. Default: none. */
  readonly maxConnectionAge?: number | undefined
  /** Time that calls have after that until they are cut. Default: any time. */
  readonly maxConnectionAgeGrace?: number | undefined
  /** Hears of failures that are faults of this program. Default: silent. */
  readonly logger?: Logger | undefined
  /** Default: the system's. */
  readonly clock?: Clock | undefined
}

/** Options with every default. */
export type ResolvedTransportOptions = ReturnType<typeof resolveTransportOptions>

/** What gRPC takes for endless. */
export const endless = 2 ** 31 - 1

/** @throws TritonError INVALID_ARG for options that make no sense. */
export function resolveTransportOptions(options: TransportOptions) {
  const number = (name: keyof TransportOptions, preset: number, least = 1): number => {
    const value = options[name] ?? preset
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= endless) return value
    const text = `${name} must be a whole number from ${least} to ${endless}, got ${value}`
    throw new TritonError('INVALID_ARG', text)
  }
  return {
    access: new Access(options, 'triton-grpc-protocol-'),
    maxReceiveMessageSize: number('maxReceiveMessageSize', maxMessageSize),
    compressionLevel: options.compressionLevel ?? 'none',
    maxConnections: number('maxConnections', 10_000),
    maxConcurrentCalls: number('maxConcurrentCalls', 1000),
    maxMetadataSize: number('maxMetadataSize', 16 * 1024),
    handshakeTimeout: number('handshakeTimeout', 20_000),
    keepaliveTime: number('keepaliveTime', 7_200_000),
    keepaliveTimeout: number('keepaliveTimeout', 20_000),
    keepalivePermitWithoutCalls: options.keepalivePermitWithoutCalls ?? false,
    maxPingsWithoutData: number('maxPingsWithoutData', 2, 0),
    minPingInterval: number('minPingInterval', 300_000, 0),
    maxPingStrikes: number('maxPingStrikes', 2, 0),
    maxConnectionAge: number('maxConnectionAge', endless),
    maxConnectionAgeGrace: number('maxConnectionAgeGrace', endless, 0),
    logger: options.logger ?? silentLogger,
    clock: options.clock ?? systemClock,
  } as const
}
