import type {
  AutoCompletedConfig,
  InstanceContext,
  MemoryUsage,
  MetricFamilySnapshot,
  ModelContext,
  PreferredInstanceGroup,
} from '@triton-ts/core/backend'

/** Where the child gets its backend from: `await import(module)` has a function `name` that makes it of `options`. */
export interface BackendSource {
  /** URL of a module. */
  readonly module: string
  readonly name: string
  /** What can be sent to another process: plain values and typed arrays. */
  readonly options: unknown
  /** What to name in the error of a crash, a file for instance. */
  readonly label?: string | undefined
}

/** A `ModelContext` as far as it can be sent. */
export interface ModelSpec
  extends Pick<ModelContext, 'name' | 'version' | 'directory' | 'versionDirectory' | 'autoComplete' | 'backendConfig'> {
  readonly source: BackendSource
  /** JSON. */
  readonly config: string
}

/** What the child's `BackendModel` says of itself. */
export interface ModelReport {
  readonly autoCompleted: AutoCompletedConfig | undefined
  readonly preferredInstanceGroups: readonly PreferredInstanceGroup[] | undefined
  readonly parallelInstanceLoading: boolean | undefined
  readonly servesBatchStrategy: boolean | undefined
  /** It would have a say in batching, which it cannot have from there. */
  readonly includesRequests: boolean
}

/** An `InstanceContext` as far as it can be sent. */
export interface InstanceSpec extends Pick<InstanceContext, 'name' | 'kind' | 'deviceId' | 'group' | 'hostPolicy'> {
  readonly instance: number
  /** JSON. */
  readonly config: string
}

/** What the child's `BackendInstance` says of itself. */
export interface InstanceReport {
  readonly reportsStatistics: boolean
}

/** What the child's backend tells for statistics and metrics. */
export interface Status {
  readonly memoryUsage: readonly MemoryUsage[]
  readonly metrics: readonly MetricFamilySnapshot[]
}
