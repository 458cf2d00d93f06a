import type { TransportOptions } from '@triton-ts/grpc-adapter'
import type { FlagValues } from '../flags/flags.ts'
import { UsageError } from '../flags/usage-error.ts'
import type { Address } from './address.ts'
import { forwardPattern } from './header-pattern.ts'
import { parseRestrictions } from './restricted-apis.ts'
import type { TlsFiles } from './tls-files.ts'

/** How gRPC is served. */
export interface GrpcSettings extends Address, TransportOptions {
  /** The metadata that become request parameters. */
  readonly headerForwardPattern: RegExp | undefined
  /** Absent without TLS. */
  readonly tlsFiles?: TlsFiles
}

/** @throws UsageError for flags that make no sense. */
export function grpcSettings(values: FlagValues): GrpcSettings {
  const tlsFiles = grpcTlsFiles(values)
  return {
    host: values['grpc-address'],
    port: values['grpc-port'],
    headerForwardPattern: forwardPattern('grpc-header-forward-pattern', values['grpc-header-forward-pattern']),
    restrictedApis: parseRestrictions('grpc-restricted-protocol', values['grpc-restricted-protocol']),
    compressionLevel: values['grpc-infer-response-compression-level'],
    keepaliveTime: values['grpc-keepalive-time'],
    keepaliveTimeout: values['grpc-keepalive-timeout'],
    keepalivePermitWithoutCalls: values['grpc-keepalive-permit-without-calls'],
    maxPingsWithoutData: values['grpc-http2-max-pings-without-data'],
    minPingInterval: values['grpc-http2-min-recv-ping-interval-without-data'],
    maxPingStrikes: values['grpc-http2-max-ping-strikes'],
    maxConnectionAge: values['grpc-max-connection-age'],
    maxConnectionAgeGrace: values['grpc-max-connection-age-grace'],
    ...(tlsFiles !== undefined && { tlsFiles }),
  }
}

function grpcTlsFiles(values: FlagValues): TlsFiles | undefined {
  const isMutual = values['grpc-use-ssl-mutual']
  if (!values['grpc-use-ssl'] && !isMutual) return undefined
  const files = { key: values['grpc-server-key'], cert: values['grpc-server-cert'] }
  if (files.key === '' || files.cert === '') {
    throw new UsageError('Error: gRPC over TLS needs both --grpc-server-cert and --grpc-server-key.')
  }
  const ca = values['grpc-root-cert']
  if (isMutual && ca === '') {
    throw new UsageError('Error: --grpc-use-ssl-mutual needs --grpc-root-cert.', 'grpc-use-ssl-mutual')
  }
  return { ...files, ca: isMutual ? ca : '' }
}
