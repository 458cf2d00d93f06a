import type { RepositoryAgent } from './agent/repository-agent.ts'
import type { Backend } from './backend/backend.ts'
import type { BackendFinder } from './backend/backend-finder.ts'
import type { ResponseCache } from './cache/response-cache.ts'
import type { ModelConfigInput } from './config/model-config.ts'
import { TritonError } from './errors.ts'
import type { HostPolicies } from './instance/instance-slots.ts'
import type { RateLimitResource } from './instance/resource-table.ts'
import { openServerLog } from './log/open-server-log.ts'
import type { ServerLog } from './log/server-log.ts'
import type { GpuMetrics } from './metrics/gpu-metrics.ts'
import { type ResolvedMetricsOptions, resolveMetricsOptions } from './metrics/metrics-options.ts'
import type { MemoryOf } from './on-demand/memory-costs.ts'
import type { CloudCacheOptions } from './repository/cloud/cache-place.ts'
import { checkModelName } from './repository/model-name.ts'
import type { CodeModels } from './repository/model-repository.ts'
import { type ModelControl, modelControls, type ServerOptions } from './server-options.ts'
import type { CudaMemory } from './shared-memory/cuda-memory.ts'
import type { TraceOptions } from './trace/trace-options.ts'
import type { TrafficSplit } from './traffic/traffic-split.ts'
import { type Clock, systemClock } from './util/clock.ts'
import { silentLogger } from './util/logger.ts'
import { parseMemorySize } from './util/memory-size.ts'

/** Options with every default in place. */
export interface ResolvedServerOptions {
  readonly repositories: readonly string[]
  readonly models: CodeModels
  readonly backends: ReadonlyMap<string, Backend>
  readonly finders: readonly BackendFinder[]
  readonly modelControl: ModelControl
  /** Milliseconds. */
  readonly pollInterval: number
  /** Milliseconds. */
  readonly settleTime: number
  readonly modelNamespacing: boolean
  readonly cloudCache: CloudCacheOptions | undefined
  readonly loadModels: readonly string[]
  /** Bytes; infinite without a limit. */
  readonly memoryBudget: number
  readonly memoryOf: MemoryOf | undefined
  readonly id: string
  readonly exitOnError: boolean
  /** Seconds. */
  readonly exitTimeout: number
  readonly strictReadiness: boolean
  readonly autoComplete: boolean
  readonly configName: string | undefined
  readonly loadConcurrency: number
  readonly loadRetries: number
  readonly backendConfig: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly modelConfigs: ReadonlyMap<string, ModelConfigInput>
  readonly trafficSplit: ReadonlyMap<string, TrafficSplit>
  readonly rateLimit: 'off' | 'execution_count'
  readonly rateLimitResources: readonly RateLimitResource[]
  readonly hostPolicies: HostPolicies
  readonly repositoryAgents: ReadonlyMap<string, RepositoryAgent>
  readonly cache: ResponseCache | undefined
  readonly gpus: readonly number[]
  readonly trace: TraceOptions
  readonly cudaMemory: CudaMemory | undefined
  readonly metrics: ResolvedMetricsOptions
  readonly gpuMetrics: GpuMetrics | undefined
  readonly logger: ServerLog
  readonly clock: Clock
}

/** @throws TritonError INVALID_ARG for options that contradict each other or are out of range. */
export function resolveServerOptions(options: ServerOptions): ResolvedServerOptions {
  const { modelRepository = [], backends = [], memoryBudget } = options
  const resolved: ResolvedServerOptions = Object.freeze({
    repositories: typeof modelRepository === 'string' ? [modelRepository] : modelRepository,
    models: new Map(Object.entries(options.models ?? {})),
    backends: byName(
      backends.filter((backend): backend is Backend => !isFinder(backend)),
      'backends',
    ),
    finders: backends.filter(isFinder),
    modelControl: options.modelControl ?? 'none',
    pollInterval: (options.repositoryPollSecs ?? 15) * 1000,
    settleTime: (options.repositorySettleSecs ?? 1) * 1000,
    modelNamespacing: options.modelNamespacing ?? false,
    cloudCache: options.cloudCache,
    loadModels: options.loadModels ?? [],
    memoryBudget: memoryBudget === undefined ? Number.POSITIVE_INFINITY : parseMemorySize(memoryBudget, 'memoryBudget'),
    memoryOf: options.memoryOf,
    id: options.id ?? 'triton',
    exitOnError: options.exitOnError ?? true,
    exitTimeout: options.exitTimeout ?? 30,
    strictReadiness: options.strictReadiness ?? true,
    autoComplete: !(options.disableAutoComplete ?? false),
    configName: options.modelConfigName,
    loadConcurrency: options.modelLoadThreadCount ?? 4,
    loadRetries: options.modelLoadRetryCount ?? 0,
    backendConfig: options.backendConfig ?? {},
    modelConfigs: new Map(Object.entries(options.modelConfigs ?? {})),
    trafficSplit: new Map(Object.entries(options.trafficSplit ?? {})),
    rateLimit: options.rateLimit ?? 'off',
    rateLimitResources: options.rateLimitResources ?? [],
    hostPolicies: new Map(Object.entries(options.hostPolicies ?? {})),
    repositoryAgents: byName(options.repositoryAgents ?? [], 'repository agents'),
    cache: options.cache,
    gpus: [...(options.gpus ?? [])].sort((a, b) => a - b),
    trace: options.trace ?? {},
    cudaMemory: options.cudaMemory,
    metrics: resolveMetricsOptions(options.metrics),
    gpuMetrics: options.gpuMetrics,
    logger: openServerLog(options.logger ?? silentLogger, options.logVerbose),
    clock: options.clock ?? systemClock,
  })
  checkLoading(resolved, options)
  checkLimits(resolved, options)
  for (const name of resolved.models.keys()) checkModelName(name)
  return resolved
}

/** Which models are loaded, and when. */
function checkLoading(
  resolved: ResolvedServerOptions,
  { memoryBudget, memoryOf, modelConfigName }: ServerOptions,
): void {
  const { modelControl, loadModels, modelNamespacing, pollInterval, settleTime } = resolved
  expect(
    modelControls.includes(modelControl),
    `modelControl '${modelControl}' must be one of '${modelControls.join("', '")}'`,
  )
  expect(pollInterval >= 0, `repositoryPollSecs must be 0 or more seconds, got ${pollInterval / 1000}`)
  expect(settleTime >= 0, `repositorySettleSecs must be 0 or more seconds, got ${settleTime / 1000}`)
  const isOnDemand = modelControl === 'on-demand'
  expect(
    loadModels.length === 0 || modelControl === 'explicit' || isOnDemand,
    "loadModels needs modelControl: 'explicit' or 'on-demand'",
  )
  expect(
    !loadModels.includes('*') || loadModels.length === 1,
    "Wildcard model name '*' must be the ONLY startup model if specified at all.",
  )
  expect(memoryBudget === undefined || isOnDemand, "memoryBudget needs modelControl: 'on-demand'")
  expect(memoryOf === undefined || isOnDemand, "memoryOf needs modelControl: 'on-demand'")
  expect(!isOnDemand || !modelNamespacing, "modelNamespacing does not go with modelControl: 'on-demand'")
  expect(
    modelConfigName === undefined || /^[^\s/\\]+$/.test(modelConfigName),
    'modelConfigName must be a file name without spaces',
  )
}

function checkLimits(resolved: ResolvedServerOptions, { gpus = [] }: ServerOptions): void {
  const { exitTimeout, loadConcurrency, loadRetries, rateLimit, rateLimitResources, cache } = resolved
  expect(exitTimeout >= 0, `exitTimeout must be 0 or more seconds, got ${exitTimeout}`)
  expect(
    Number.isInteger(loadConcurrency) && loadConcurrency > 0,
    `modelLoadThreadCount must be 1 or more, got ${loadConcurrency}`,
  )
  expect(isCount(loadRetries), `modelLoadRetryCount must be 0 or more, got ${loadRetries}`)
  expect(
    rateLimit === 'off' || rateLimit === 'execution_count',
    `rateLimit '${rateLimit}' must be 'off' or 'execution_count'`,
  )
  for (const { name, count, device = 0 } of rateLimitResources) {
    expect(name !== '', 'a rate limit resource needs a name')
    expect(isCount(count), `rate limit resource '${name}' must have a count of 0 or more, got ${count}`)
    expect(isCount(device), `the device of rate limit resource '${name}' must be 0 or more, got ${device}`)
  }
  expect(gpus.every(isCount), `gpus must be ids of 0 or more, got ${gpus.join(', ')}`)
  const lookupTimeout = cache?.lookupTimeout ?? 0
  expect(lookupTimeout >= 0, `lookupTimeout of the cache must be 0 or more milliseconds, got ${lookupTimeout}`)
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0

const isFinder = (backend: Backend | BackendFinder): backend is BackendFinder => 'find' in backend

function byName<T extends { readonly name: string }>(items: readonly T[], what: string): Map<string, T> {
  const map = new Map<string, T>()
  for (const item of items) {
    expect(!map.has(item.name), `two ${what} are named '${item.name}'`)
    map.set(item.name, item)
  }
  return map
}

function expect(condition: boolean, message: string): void {
  if (!condition) throw new TritonError('INVALID_ARG', message)
}
