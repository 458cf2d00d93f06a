import type { Backend } from './backend/backend.ts'
import type { BackendFinder } from './backend/backend-finder.ts'
import type { ResponseCache } from './cache/response-cache.ts'
import type { ModelClass, ModelCode } from './code-model/model-code.ts'
import type { ModelConfigInput } from './config/model-config.ts'
import { TritonError } from './errors.ts'
import type { HostPolicies } from './instance/instance-slots.ts'
import type { RateLimitResource } from './instance/resource-table.ts'
import { checkModelName } from './repository/model-name.ts'
import type { CodeModels } from './repository/model-repository.ts'
import { type Clock, systemClock } from './util/clock.ts'
import { calmLogger, type Logger, silentLogger } from './util/logger.ts'

const modelControls = ['none', 'poll', 'explicit'] as const

/** How a Server comes to load models. */
export type ModelControl = (typeof modelControls)[number]

/** Settings of a Server. Names and defaults are those of tritonserver's flags unless said otherwise. */
export interface ServerOptions {
  /** Directories of models; a name must be in one of them only. */
  readonly modelRepository?: string | readonly string[] | undefined
  /**
   * Models in code by name: `{ rerank: defineModel({...}) }`. They run on the event loop, load and unload as those of a
   * repository do, and need none.
   */
  readonly models?: Readonly<Record<string, ModelCode | ModelClass>> | undefined
  /** What can run models. A configuration's `backend` chooses by name; finders are asked, in order, for other names. */
  readonly backends?: readonly (Backend | BackendFinder)[] | undefined
  /**
   * `none`: load everything at the start. `poll`: that, and then whatever changes in the repositories. `explicit`: only
   * `loadModels`, then `load` and `unload`. Default `none`.
   */
  readonly modelControl?: ModelControl | undefined
  /** With `poll`: seconds between two looks at the repositories; 0: only when `poll` is called. Default 15. */
  readonly repositoryPollSecs?: number | undefined
  /** With `poll`: seconds that a changed model must stay as it is before it is loaded. Default 1. */
  readonly repositorySettleSecs?: number | undefined
  /** Whether a name may be in several repositories; models are then told apart by repository. Default false. */
  readonly modelNamespacing?: boolean | undefined
  /** With `explicit`: what to load at the start; `['*']` is everything. */
  readonly loadModels?: readonly string[] | undefined
  /** Name in metadata. Default `triton`. */
  readonly id?: string | undefined
  /** Whether one model that fails to load stops the start. Default true. */
  readonly exitOnError?: boolean | undefined
  /** Seconds that `stop` waits for running requests. Default 30. */
  readonly exitTimeout?: number | undefined
  /** Whether `isReady` needs every known model to be ready. Default true. */
  readonly strictReadiness?: boolean | undefined
  /** Take configurations as they are, without asking backends to complete them. Default false. */
  readonly disableAutoComplete?: boolean | undefined
  /** Use `configs/<name>.pbtxt` of a model where it exists. */
  readonly modelConfigName?: string | undefined
  /** Model versions loaded at the same time. Default 4. */
  readonly modelLoadThreadCount?: number | undefined
  /** Further tries after a version failed to load. Default 0. */
  readonly modelLoadRetryCount?: number | undefined
  /** Backend settings by backend name; `''` holds for all. */
  readonly backendConfig?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined
  /** Configurations by model name, instead of the files in the repository. */
  readonly modelConfigs?: Readonly<Record<string, ModelConfigInput>> | undefined
  /**
   * `execution_count`: instances run in the order that their `rate_limiter` priorities give and only when the resources
   * that it names are free. `off`: as soon as they are idle. Default `off`.
   */
  readonly rateLimit?: 'off' | 'execution_count' | undefined
  /**
   * How much there is of each resource; with any given, a resource that is not does not exist. Default: as much as the
   * loaded instance that needs most of it.
   */
  readonly rateLimitResources?: readonly RateLimitResource[] | undefined
  /**
   * Settings such as `numa-node` and `cpu-cores` by the name of the policy, which instance groups choose with
   * `host_policy`; the defaults are `cpu`, `gpu_<id>` and `model`. They are handed to the backends.
   */
  readonly hostPolicies?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined
  /**
   * Where responses of models with `response_cache { enable: true }` are kept: `localCache({ size })`, or another. The
   * Server owns it. Default: every request runs.
   */
  readonly cache?: ResponseCache | undefined
  /**
   * Ids of the GPUs that models may use, for `KIND_GPU` and `KIND_AUTO`; a backend has to be able to. Default none:
   * `KIND_AUTO` is then the CPU.
   */
  readonly gpus?: readonly number[] | undefined
  /** Default: silent. A pino logger fits. */
  readonly logger?: Logger | undefined
  /** For tests. Default: the system's. */
  readonly clock?: Clock | undefined
}

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
  readonly loadModels: readonly string[]
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
  readonly rateLimit: 'off' | 'execution_count'
  readonly rateLimitResources: readonly RateLimitResource[]
  readonly hostPolicies: HostPolicies
  readonly cache: ResponseCache | undefined
  readonly gpus: readonly number[]
  readonly logger: Logger
  readonly clock: Clock
}

/** @throws TritonError INVALID_ARG for options that contradict each other or are out of range. */
export function resolveServerOptions(options: ServerOptions): ResolvedServerOptions {
  const { modelRepository = [], modelControl = 'none', loadModels = [], exitTimeout = 30, backends = [] } = options
  const loadConcurrency = options.modelLoadThreadCount ?? 4
  const loadRetries = options.modelLoadRetryCount ?? 0
  const { repositoryPollSecs = 15, repositorySettleSecs = 1 } = options
  expect(
    modelControls.includes(modelControl),
    `modelControl '${modelControl}' must be one of '${modelControls.join("', '")}'`,
  )
  expect(repositoryPollSecs >= 0, `repositoryPollSecs must be 0 or more seconds, got ${repositoryPollSecs}`)
  expect(repositorySettleSecs >= 0, `repositorySettleSecs must be 0 or more seconds, got ${repositorySettleSecs}`)
  expect(loadModels.length === 0 || modelControl === 'explicit', "loadModels needs modelControl: 'explicit'")
  expect(
    !loadModels.includes('*') || loadModels.length === 1,
    "Wildcard model name '*' must be the ONLY startup model if specified at all.",
  )
  expect(exitTimeout >= 0, `exitTimeout must be 0 or more seconds, got ${exitTimeout}`)
  expect(
    Number.isInteger(loadConcurrency) && loadConcurrency > 0,
    `modelLoadThreadCount must be 1 or more, got ${loadConcurrency}`,
  )
  expect(Number.isInteger(loadRetries) && loadRetries >= 0, `modelLoadRetryCount must be 0 or more, got ${loadRetries}`)
  expect(
    options.modelConfigName === undefined || /^[^\s/\\]+$/.test(options.modelConfigName),
    'modelConfigName must be a file name without spaces',
  )
  const { rateLimit = 'off', rateLimitResources = [] } = options
  expect(
    rateLimit === 'off' || rateLimit === 'execution_count',
    `rateLimit '${rateLimit}' must be 'off' or 'execution_count'`,
  )
  for (const { name, count, device = 0 } of rateLimitResources) {
    expect(name !== '', 'a rate limit resource needs a name')
    expect(isCount(count), `rate limit resource '${name}' must have a count of 0 or more, got ${count}`)
    expect(isCount(device), `the device of rate limit resource '${name}' must be 0 or more, got ${device}`)
  }
  expect(
    (options.gpus ?? []).every((id) => Number.isInteger(id) && id >= 0),
    `gpus must be ids of 0 or more, got ${options.gpus?.join(', ')}`,
  )
  const lookupTimeout = options.cache?.lookupTimeout ?? 0
  expect(lookupTimeout >= 0, `lookupTimeout of the cache must be 0 or more milliseconds, got ${lookupTimeout}`)
  for (const name of Object.keys(options.models ?? {})) checkModelName(name)
  return Object.freeze({
    repositories: typeof modelRepository === 'string' ? [modelRepository] : modelRepository,
    models: new Map(Object.entries(options.models ?? {})),
    backends: byName(backends.filter((backend): backend is Backend => !isFinder(backend))),
    finders: backends.filter(isFinder),
    modelControl,
    pollInterval: repositoryPollSecs * 1000,
    settleTime: repositorySettleSecs * 1000,
    modelNamespacing: options.modelNamespacing ?? false,
    loadModels,
    id: options.id ?? 'triton',
    exitOnError: options.exitOnError ?? true,
    exitTimeout,
    strictReadiness: options.strictReadiness ?? true,
    autoComplete: !(options.disableAutoComplete ?? false),
    configName: options.modelConfigName,
    loadConcurrency,
    loadRetries,
    backendConfig: options.backendConfig ?? {},
    modelConfigs: new Map(Object.entries(options.modelConfigs ?? {})),
    rateLimit,
    rateLimitResources,
    hostPolicies: new Map(Object.entries(options.hostPolicies ?? {})),
    cache: options.cache,
    gpus: [...(options.gpus ?? [])].sort((a, b) => a - b),
    logger: calmLogger(options.logger ?? silentLogger),
    clock: options.clock ?? systemClock,
  })
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0

const isFinder = (backend: Backend | BackendFinder): backend is BackendFinder => 'find' in backend

function byName(backends: readonly Backend[]): Map<string, Backend> {
  const map = new Map<string, Backend>()
  for (const backend of backends) {
    expect(!map.has(backend.name), `two backends are named '${backend.name}'`)
    map.set(backend.name, backend)
  }
  return map
}

function expect(condition: boolean, message: string): void {
  if (!condition) throw new TritonError('INVALID_ARG', message)
}
