import type { ServerOptions, TritonLogOptions } from '@triton-ts/core'
import type { Restriction } from '@triton-ts/protocol'
import { type FlagName, type FlagValues, flags } from '../flags/flags.ts'
import { type ParsedFlags, parseFlags } from '../flags/parse-flags.ts'
import { UsageError } from '../flags/usage-error.ts'
import { type AccessSettings, accessSettings } from './access-settings.ts'
import { backendConfig } from './backend-config.ts'
import { cacheConfig, cacheNotices } from './cache-config.ts'
import { type DashboardSettings, dashboardSettings } from './dashboard-settings.ts'
import { gpuIds } from './gpu-ids.ts'
import { type GrpcSettings, grpcSettings } from './grpc-settings.ts'
import { forwardPattern } from './header-pattern.ts'
import { hostPolicies } from './host-policies.ts'
import { metricsSettings } from './metrics-settings.ts'
import type { NamedSettings } from './named-settings.ts'
import { rateLimitResources } from './rate-limit-resources.ts'
import { parseRestrictions } from './restricted-apis.ts'
import { httpTlsFiles, type TlsFiles } from './tls-files.ts'
import { type TraceSettings, traceSettings } from './trace-settings.ts'
import { trafficSplits } from './traffic-splits.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export interface HttpSettings extends Address {
  readonly maxInputSize: number
  readonly maxBodySize: number
  readonly headerForwardPattern: RegExp | undefined
  readonly restrictedApis: readonly Restriction[]
}

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
  const { values, given } = parseFlags(args)
  const http: HttpSettings = {
    host: values['http-address'],
    port: values['http-port'],
    maxInputSize: values['http-max-input-size'],
    maxBodySize: values['http-max-body-size'],
    headerForwardPattern: forwardPattern('http-header-forward-pattern', values['http-header-forward-pattern']),
    restrictedApis: parseRestrictions('http-restricted-api', values['http-restricted-api']),
  }
  if (http.maxInputSize <= 0) {
    throw new UsageError('Error: --http-max-input-size must be greater than 0.', 'http-max-input-size')
  }
  if (http.maxBodySize <= 0 || http.maxBodySize > 2 ** 31 - 1) {
    throw new UsageError('Error: --http-max-body-size must be from 1 to 2147483647.', 'http-max-body-size')
  }
  const metrics: Address = { host: values['metrics-address'] || http.host, port: values['metrics-port'] }
  const measured = metricsSettings(values)
  const trace = traceSettings({ values, given }, process.env)
  const cache = cacheSettings(values, given)
  const tls = httpTlsFiles(values)
  const dashboard = dashboardSettings(values, http)
  const settings: ServeSettings = {
    server: { ...serverOptions(values, given), metrics: measured.options },
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
    notices: [...notices({ values, given }), ...cacheNotices(cache), ...measured.notices, ...trace.notices],
  }
  checkPorts(settings)
  return settings
}

function serverOptions(values: FlagValues, given: ReadonlySet<FlagName>): ServerOptions {
  return {
    id: values.id,
    modelRepository: modelRepositories(values),
    ...modelControl(values),
    repositoryPollSecs: Math.max(0, values['repository-poll-secs']),
    modelNamespacing: values['model-namespacing'],
    exitOnError: values['exit-on-error'],
    exitTimeout: Math.max(0, values['exit-timeout-secs']),
    strictReadiness: values['strict-readiness'],
    disableAutoComplete: values['disable-auto-complete-config'] || values['strict-model-config'],
    modelConfigName: modelConfigName(values, given),
    modelLoadThreadCount: Math.max(1, values['model-load-thread-count']),
    modelLoadRetryCount: Math.max(0, values['model-load-retry-count']),
    backendConfig: backendConfig(values['backend-config']),
    rateLimit: values['rate-limit'],
    rateLimitResources: rateLimitResources(values['rate-limit-resource']),
    hostPolicies: hostPolicies(values['host-policy']),
    trafficSplit: trafficSplits(values['traffic-split']),
    gpus: gpuIds(values.gpus),
  }
}

/** An empty path would be the current directory, which nobody means who writes `--model-repository=$UNSET`. */
function modelRepositories(values: FlagValues): string[] {
  const paths = new Set([...values['model-repository'], ...values['model-store']])
  if (paths.has('')) throw new UsageError("repository path is not a valid directory: ''", 'model-repository')
  return [...paths]
}

function modelControl(values: FlagValues): Pick<ServerOptions, 'modelControl' | 'loadModels' | 'memoryBudget'> {
  const mode = values['model-control-mode']
  const models = [...new Set(values['load-model'])]
  if (models.length > 0 && mode !== 'explicit' && mode !== 'on-demand') {
    throw new UsageError("Error: Use of '--load-model' requires setting '--model-control-mode=explicit' as well.")
  }
  if (models.includes('*') && models.length > 1) {
    throw new UsageError("Wildcard model name '*' must be the ONLY startup model if specified at all.", 'load-model')
  }
  const memoryBudget = values['memory-budget']
  if (memoryBudget === '') return { modelControl: mode, loadModels: models }
  if (mode !== 'on-demand') {
    throw new UsageError("Error: Use of '--memory-budget' requires setting '--model-control-mode=on-demand' as well.")
  }
  return { modelControl: mode, loadModels: models, memoryBudget }
}

function modelConfigName(values: FlagValues, given: ReadonlySet<FlagName>): string | undefined {
  const name = values['model-config-name']
  if (name !== '') return name
  if (given.has('model-config-name')) {
    throw new UsageError('Error: empty argument for --model-config-name', 'model-config-name')
  }
  return undefined
}

function cacheSettings(values: FlagValues, given: ReadonlySet<FlagName>): NamedSettings {
  const size = values['response-cache-byte-size']
  if (given.has('response-cache-byte-size') && given.has('cache-config')) {
    throw new UsageError(
      'Error: Incompatible flags --response-cache-byte-size and --cache-config both provided. ' +
        'Please provide one or the other.',
    )
  }
  return size === 0 ? cacheConfig(values['cache-config']) : { local: { size: String(size) } }
}

function notices({ values, given }: ParsedFlags): string[] {
  const lines: string[] = []
  if (given.has('strict-model-config')) {
    lines.push("'--strict-model-config' has been deprecated! Please use '--disable-auto-complete-config' instead.")
  }
  if (given.has('response-cache-byte-size')) {
    lines.push(
      "'--response-cache-byte-size' has been deprecated! This will default to the 'local' cache implementation with the " +
        "provided byte size for its config. Please use '--cache-config' instead. The equivalent --cache-config CLI args " +
        `would be: '--cache-config=local,size=${values['response-cache-byte-size']}'`,
    )
  }
  for (const name of given) {
    const { noEffect, default: preset } = flags[name]
    const value: unknown = values[name]
    if (noEffect !== undefined && value !== preset && value !== false)
      lines.push(`--${name} has no effect: ${noEffect}`)
  }
  return lines
}

function checkPorts({ http, grpc, metrics }: ServeSettings): void {
  const taken = new Map<string, string>()
  for (const [name, address] of Object.entries({ HTTP: http, GRPC: grpc, metrics })) {
    if (address === undefined || address.port === 0) continue
    const where = `${address.host}:${address.port}`
    const other = taken.get(where)
    if (other !== undefined) {
      throw new UsageError(
        `The server cannot listen to ${other} requests and ${name} requests at the same address and port ${where}`,
      )
    }
    taken.set(where, name)
  }
}
