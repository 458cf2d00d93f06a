import type { InstanceGroupConfig, InstanceGroupKind, ModelConfig } from '../config/model-config.ts'
import type { TritonError } from '../errors.ts'
import type { MetricCollector } from '../metrics/metric-family.ts'
import type { MemoryUsage } from '../metrics/model-statistics.ts'
import type { ParameterValue } from '../request/infer-request.ts'
import type { Tensor } from '../request/tensor.ts'
import type { Logger } from '../util/logger.ts'
import type { BackendServer } from './backend-server.ts'
import type { ExecutionMarks } from './execution-marks.ts'
import type { RequestTrace } from './request-trace.ts'

/**
 * A way to run models: `backends: [onnx()]`. It holds no state of its own, so one value may serve several Servers.
 * The engine calls `createModel` once for each model version, then `createInstance` for each execution slot.
 */
export interface Backend {
  /** What a configuration names in its `backend` field, `onnxruntime` for instance. */
  readonly name: string
  /**
   * Opens a model version.
   * @throws TritonError; its text becomes the reason of the failed load.
   */
  createModel(model: ModelContext): Promise<BackendModel>
}

/** What a backend is told of the model version that it should open. */
export interface ModelContext {
  readonly name: string
  readonly version: number
  /** Absolute path of the model's directory. */
  readonly directory: string
  /** Absolute path of the version's directory. */
  readonly versionDirectory: string
  /** Normalised, not yet auto-completed. */
  readonly config: ModelConfig
  /** Whether the backend should report what the model file tells of inputs, outputs and batching. */
  readonly autoComplete: boolean
  /** `--backend-config` settings: the global ones overlaid by this backend's own. */
  readonly backendConfig: Readonly<Record<string, string>>
  /** The Server that the model belongs to: other models can be run and loaded through it. */
  readonly server: BackendServer
  /**
   * Adds metrics to those of the Server, whichever model they are of.
   * @returns takes them away again; nobody else does before the Server is gone.
   */
  collectMetrics(collector: MetricCollector): () => void
  readonly logger: Logger
  /** Aborted when the load is given up. */
  readonly signal: AbortSignal
}

/** The parts of a configuration that a backend may fill from the model file; the engine takes no others back. */
export type AutoCompletedConfig = Partial<
  Pick<
    ModelConfig,
    'maxBatchSize' | 'input' | 'output' | 'dynamicBatching' | 'sequenceBatching' | 'modelTransactionPolicy'
  >
>

export interface BackendModel {
  /** What `createModel` read from the model, when `ModelContext.autoComplete` asked for it. */
  readonly autoCompleted?: AutoCompletedConfig | undefined
  /**
   * Where and how often the model runs if its configuration does not say. The first usable one is the group of a model
   * that has none, and each tells count and GPUs for groups of its kind that name none. Default: Triton's rules.
   */
  readonly preferredInstanceGroups?: readonly PreferredInstanceGroup[] | undefined
  /** Whether `createInstance` may be called again before it is through. Default true. */
  readonly parallelInstanceLoading?: boolean | undefined
  /** It acts on the parameter `TRITON_BATCH_STRATEGY_PATH`; otherwise the engine warns that nobody does. Default false. */
  readonly servesBatchStrategy?: boolean | undefined
  createInstance(slot: InstanceContext): Promise<BackendInstance>
  /**
   * Custom batching: whether `request` may join a batch that already has `batch`, which is never empty. The dynamic
   * batcher asks after its own rules agreed; false sends the batch without the request. It must be quick, and may be
   * asked again about the same requests. An error counts as false and is logged. Default: yes.
   */
  includeRequest?(batch: readonly ExecutionRequest[], request: ExecutionRequest): boolean
  /** The memory that the model and its instances hold, for the statistics. Entries of one place are added up. */
  memoryUsage?(): readonly MemoryUsage[]
  /** Called once, after every instance has been disposed. */
  dispose(): Promise<void>
}

export interface PreferredInstanceGroup {
  readonly kind: InstanceGroupKind
  /** 0: Triton's default for the kind. */
  readonly count: number
  /** Ids; those that models may not use are left out. Empty: all. */
  readonly gpus: readonly number[]
}

/** One execution slot of an instance group. */
export interface InstanceContext {
  /** `<group name>_<n>`, as Triton names instances. */
  readonly name: string
  readonly kind: Exclude<InstanceGroupKind, 'KIND_AUTO'>
  /** The GPU, or 0. */
  readonly deviceId: number
  readonly group: InstanceGroupConfig
  readonly hostPolicy: HostPolicy
  /** The final configuration: completed, normalised and valid. */
  readonly config: ModelConfig
  readonly signal: AbortSignal
}

/** Where an instance should live on its machine; the engine only hands it on. */
export interface HostPolicy {
  /** The group's `host_policy`, or Triton's default: `cpu`, `gpu_<id>`, `model`. */
  readonly name: string
  /** What the Server was told of this policy, `numa-node` and `cpu-cores` for instance; empty without a word. */
  readonly settings: Readonly<Record<string, string>>
}

export interface BackendInstance {
  /**
   * Runs one batch. The engine never calls it again before it returned (or its promise settled). Every request must be
   * answered by then, unless `keep` was called on it. What it throws fails all requests that have no answer yet.
   */
  execute(requests: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> | void
  /**
   * It measures its runs itself and tells the marks of every batch; what it does not report is not counted, but for
   * requests that the engine ends. Default false: the engine measures.
   */
  readonly reportsStatistics?: boolean | undefined
  /** Whether the instance can still serve; part of the model's readiness. Default: yes. */
  isReady?(): Promise<boolean>
  /** Called once, never during `execute`. */
  dispose(): Promise<void>
}

/** A request as a backend sees it. */
export interface ExecutionRequest {
  /** The caller's id, `''` without one. */
  readonly id: string
  readonly correlationId: bigint | string
  readonly sequenceStart: boolean
  readonly sequenceEnd: boolean
  readonly priority: number
  /** 0: none. */
  readonly timeoutMicroseconds: number
  readonly parameters: Readonly<Record<string, ParameterValue>>
  /** By name. With batching every shape starts with `batchSize`. */
  readonly inputs: ReadonlyMap<string, Tensor>
  /** Leading dimension of the inputs; 0 for a model without batching. */
  readonly batchSize: number
  /** The outputs to answer with: those the caller named, else all. */
  readonly requestedOutputs: readonly string[]
  /** The caller does not want the answer any more. */
  readonly isCancelled: boolean
  /** Aborted when `isCancelled` becomes true. */
  readonly signal: AbortSignal
  /** The request that it serves, when the code of a model sent it and said so. */
  readonly parent?: ExecutionRequest | undefined
  /** The trace that it belongs to. Default: none. */
  readonly trace?: RequestTrace | undefined
  /** Sends one response. Without `final: false` it is the last; a model that is not decoupled sends exactly one. */
  respond(response: ResponseContent, options?: { readonly final?: boolean }): void
  /**
   * Ends the request with an error. With `final: false` a decoupled model says that one response failed and that others
   * may follow.
   */
  fail(error: TritonError, options?: { readonly final?: boolean }): void
  /** Ends a decoupled request without a further response. */
  end(): void
  /** The backend will answer after `execute` returned. */
  keep(): void
  /**
   * Back-pressure for decoupled models: undefined while whoever reads the responses keeps up; otherwise a promise that is
   * resolved when it has caught up, or when the request ends. Nothing is lost when a backend does not ask.
   */
  room(): Promise<void> | undefined
  /**
   * Implicit state: what the sequence's next request gets as the input that belongs to this output. Call it before the
   * request is answered. Type and shape may differ from the state so far; with batching the shape starts with 1. A state
   * that is not updated stays as it is. The values are copied.
   * @param output the `output_name` of an entry of `sequence_batching.state`.
   * @throws TritonError INVALID_ARG when the model has no such state.
   */
  updateState(output: string, state: Tensor): void
  /**
   * Iterative sequences: instead of ending the request, gives it back to the engine, which runs it again as the next
   * request of its sequence, without START and END. Responses may have been sent before. Statistics count every run.
   * @throws TritonError INVALID_ARG when the model is not configured with `iterative_sequence`, or when the sequence has
   *   ended meanwhile; the backend still has the request then.
   */
  reschedule(): void
}

export interface ResponseContent {
  readonly outputs: Readonly<Record<string, Tensor>>
  readonly parameters?: Readonly<Record<string, ParameterValue>> | undefined
}
