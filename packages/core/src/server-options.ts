import type { RepositoryAgent } from './agent/repository-agent.ts'
import type { Backend } from './backend/backend.ts'
import type { BackendFinder } from './backend/backend-finder.ts'
import type { ResponseCache } from './cache/response-cache.ts'
import type { ModelClass, ModelCode } from './code-model/model-code.ts'
import type { ModelConfigInput } from './config/model-config.ts'
import type { RateLimitResource } from './instance/resource-table.ts'
import type { GpuMetrics } from './metrics/gpu-metrics.ts'
import type { MetricsOptions } from './metrics/metrics-options.ts'
import type { MemoryOf } from './on-demand/memory-costs.ts'
import type { CloudCacheOptions } from './repository/cloud/cache-place.ts'
import type { CudaMemory } from './shared-memory/cuda-memory.ts'
import type { TraceOptions } from './trace/trace-options.ts'
import type { TrafficSplit } from './traffic/traffic-split.ts'
import type { Clock } from './util/clock.ts'
import type { Logger } from './util/logger.ts'

export const modelControls = ['none', 'poll', 'explicit', 'on-demand'] as const

/** How a Server comes to load models. */
export type ModelControl = (typeof modelControls)[number]

/** Settings of a Server. Names and defaults are those of tritonserver's flags unless said otherwise. */
export interface ServerOptions {
  /**
   * Directories of models, on this machine or in a cloud: `s3://bucket/path`, `gs://bucket/path`,
   * `as://account/container/path`. A name must be in one of them only.
   */
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
   * `loadModels`, then `load` and `unload`. `on-demand`: the same, and every other model when it is first asked for,
   * within `memoryBudget`. Default `none`.
   */
  readonly modelControl?: ModelControl | undefined
  /** With `poll`: seconds between two looks at the repositories; 0: only when `poll` is called. Default 15. */
  readonly repositoryPollSecs?: number | undefined
  /** With `poll`: seconds that a changed model must stay as it is before it is loaded. Default 1. */
  readonly repositorySettleSecs?: number | undefined
  /** Where models of cloud repositories are kept on this machine. */
  readonly cloudCache?: CloudCacheOptions | undefined
  /** Whether a name may be in several repositories; models are then told apart by repository. Default false. */
  readonly modelNamespacing?: boolean | undefined
  /**
   * With `on-demand`: how much memory models may take, in bytes or as a text such as '8GB' or '512MiB'. Before a model is
   * loaded, those that were used least recently make room. Default: as much as they want.
   */
  readonly memoryBudget?: number | string | undefined
  /**
   * With `on-demand`: the bytes that a model version takes of the budget. Default: what its backend reports, and before
   * the first load, or where that says nothing, the size of the files in its version directory.
   */
  readonly memoryOf?: MemoryOf | undefined
  /** With `explicit` and `on-demand`: what to load at the start; `['*']` is everything. */
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
  /** Configurations by model name, or id, instead of the files in the repository. */
  readonly modelConfigs?: Readonly<Record<string, ModelConfigInput>> | undefined
  /**
   * By model name: which versions answer the requests that name none, in which proportions: `{ classifier: { weights:
   * { 1: 90, 2: 10 } } }`. `setTrafficSplit` changes it while the Server serves. Default: the highest that is ready.
   */
  readonly trafficSplit?: Readonly<Record<string, TrafficSplit>> | undefined
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
  /** What models may name in `model_repository_agents`: `[checksum()]`, or others. Default none. */
  readonly repositoryAgents?: readonly RepositoryAgent[] | undefined
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
  /**
   * What reaches the memory of GPUs for CUDA shared memory: `cudaMemory()` of `@triton-ts/backend-native`. Default: CUDA
   * regions are refused.
   */
  readonly cudaMemory?: CudaMemory | undefined
  /**
   * What tells how the GPUs of this machine do: `nvml()` of `@triton-ts/backend-native`. Models that run on GPUs are then
   * counted by GPU, too. Default: GPUs have no metrics.
   */
  readonly gpuMetrics?: GpuMetrics | undefined
  /** What is measured and shown on the page of metrics. Default: Triton's counters, and the families that it lacks. */
  readonly metrics?: MetricsOptions | undefined
  /** Which requests are traced, and where their traces go: to a file, or to OpenTelemetry. Default: none. */
  readonly trace?: TraceOptions | undefined
  /** `tritonLog()`, or a logger of the application: pino's fit, and `console`. Default: silent. */
  readonly logger?: Logger | undefined
  /** Verbose messages up to this level are logged, 0: none. Default: as `tritonLog` was told, or 0. */
  readonly logVerbose?: number | undefined
  /** For tests. Default: the system's. */
  readonly clock?: Clock | undefined
}
