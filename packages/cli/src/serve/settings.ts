import type { ServerOptions, TritonLogOptions } from '@triton-ts/core'
import { parseFlags } from '../flags/parse-flags.ts'
import { type AccessSettings, accessSettings } from './access-settings.ts'
import type { Address } from './address.ts'
import { cacheConfig, cacheNotices } from './cache-config.ts'
import { checkPorts } from './check-ports.ts'
import { type DashboardSettings, dashboardSettings } from './dashboard-settings.ts'
import { flagNotices } from './flag-notices.ts'
import { type GrpcSettings, grpcSettings } from './grpc-settings.ts'
import { type HttpSettings, httpSettings } from './http-settings.ts'
import { metricsSettings } from './metrics-settings.ts'
import type { NamedSettings } from './named-settings.ts'
import { serverOptions } from './server-options.ts'
import { httpTlsFiles, type TlsFiles } from './tls-files.ts'
import { type TraceSettings, traceSettings } from './trace-settings.ts'

/** What `triton-ts serve` should do. */
export interface ServeSettings {
  readonly server: ServerOptions
  /** Where backend libraries are. */
  readonly backendDirectory: string
  readonly cache: NamedSettings
  /** Absent with `--allow-http=false`. */
  readonly http?: HttpSettings
  /** Absent with `--allow-grpc=false`. */
  readonly grpc?: GrpcSettings
  /** Absent with `--allow-metrics=false`. */
  readonly metrics?: Address
  /** Whether GPUs are to have metrics. */
  readonly gpuMetrics: boolean
  /** Absent without `--allow-dashboard`. */
  readonly dashboard?: DashboardSettings
  /** Of HTTP and metrics; absent without TLS. */
  readonly tls?: TlsFiles
  readonly access: AccessSettings
  /** Whether clients may register shared memory; absent where the address of an endpoint decides. */
  readonly sharedMemory?: boolean
  readonly trace: TraceSettings
  readonly log: TritonLogOptions
  /** Seconds that stopping may take. */
  readonly exitTimeout: number
  /** What the caller should know of the flags, one line each. */
  readonly notices: readonly string[]
}

/**
 * The settings that tritonserver's command line asks for.
 * @throws UsageError
 */
export function settingsOf(args: readonly string[]): ServeSettings {
  const flags = parseFlags(args)
  const { values, given } = flags
  const http = httpSettings(values)
  const metrics: Address = { host: values['metrics-address'] || http.host, port: values['metrics-port'] }
  const measured = metricsSettings(values)
  const trace = traceSettings(flags, process.env)
  const cache = cacheConfig(flags)
  const tls = httpTlsFiles(values)
  const dashboard = dashboardSettings(values, http)
  const settings: ServeSettings = {
    server: { ...serverOptions(flags), metrics: measured.options },
    backendDirectory: values['backend-directory'],
    cache,
    ...(values['allow-http'] && { http }),
    ...(values['allow-grpc'] && { grpc: grpcSettings(values) }),
    ...(values['allow-metrics'] && { metrics }),
    gpuMetrics: measured.gpu,
    ...(dashboard !== undefined && { dashboard }),
    ...(tls !== undefined && { tls }),
    access: accessSettings(values),
    ...(given.has('allow-client-shm') && { sharedMemory: values['allow-client-shm'] }),
    log: {
      verbose: values['log-verbose'],
      info: values['log-info'],
      warning: values['log-warning'],
      error: values['log-error'],
      format: values['log-format'],
      file: values['log-file'],
    },
    exitTimeout: Math.max(0, values['exit-timeout-secs']),
    trace,
    notices: [...flagNotices(flags), ...cacheNotices(cache), ...measured.notices, ...trace.notices],
  }
  checkPorts({ HTTP: settings.http, GRPC: settings.grpc, metrics: settings.metrics })
  return settings
}
