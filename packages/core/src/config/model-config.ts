/**
 * A model's configuration, as Triton's `ModelConfig` message has it, in camelCase. Every scalar, list and map is there
 * with its default; sub-messages are undefined where the configuration does not set them. Whole 64-bit values are
 * numbers. An enum number without a name, which protobuf lets pass, is its decimal text. Maps have no prototype. The
 * table in `schema.ts` is the same structure as data.
 */
export interface ModelConfig {
  readonly name: string
  readonly platform: string
  readonly backend: string
  readonly runtime: string
  readonly versionPolicy?: VersionPolicy
  /** 0: tensors have no batch dimension; n: every tensor has a leading dimension of at most n. */
  readonly maxBatchSize: number
  readonly input: readonly ModelInput[]
  readonly output: readonly ModelOutput[]
  readonly batchInput: readonly BatchInput[]
  readonly batchOutput: readonly BatchOutput[]
  readonly optimization?: OptimizationPolicy
  readonly dynamicBatching?: DynamicBatching
  readonly sequenceBatching?: SequenceBatching
  readonly ensembleScheduling?: EnsembleScheduling
  readonly instanceGroup: readonly InstanceGroupConfig[]
  readonly defaultModelFilename: string
  /** Model file by CUDA compute capability, `"8.0"` for instance. */
  readonly ccModelFilenames: Readonly<Record<string, string>>
  readonly metricTags: Readonly<Record<string, string>>
  readonly parameters: Readonly<Record<string, { readonly stringValue: string }>>
  readonly modelWarmup: readonly ModelWarmup[]
  readonly modelOperations?: { readonly opLibraryFilename: readonly string[] }
  readonly modelTransactionPolicy?: { readonly decoupled: boolean }
  readonly modelRepositoryAgents?: { readonly agents: readonly RepositoryAgentConfig[] }
  readonly responseCache?: { readonly enable: boolean }
  readonly modelMetrics?: { readonly metricControl: readonly MetricControl[] }
}

export type ConfigDataType =
  | 'TYPE_INVALID'
  | 'TYPE_BOOL'
  | 'TYPE_UINT8'
  | 'TYPE_UINT16'
  | 'TYPE_UINT32'
  | 'TYPE_UINT64'
  | 'TYPE_INT8'
  | 'TYPE_INT16'
  | 'TYPE_INT32'
  | 'TYPE_INT64'
  | 'TYPE_FP16'
  | 'TYPE_FP32'
  | 'TYPE_FP64'
  | 'TYPE_STRING'
  | 'TYPE_BF16'

/** One of the three is set. */
export interface VersionPolicy {
  readonly latest?: { readonly numVersions: number }
  readonly all?: Readonly<Record<string, never>>
  readonly specific?: { readonly versions: readonly number[] }
}

export interface Reshape {
  readonly shape: readonly number[]
}

export interface ModelInput {
  readonly name: string
  readonly dataType: ConfigDataType
  readonly format: 'FORMAT_NONE' | 'FORMAT_NHWC' | 'FORMAT_NCHW'
  /** Without the batch dimension; -1 is any size. */
  readonly dims: readonly number[]
  readonly reshape?: Reshape
  readonly isShapeTensor: boolean
  readonly allowRaggedBatch: boolean
  readonly optional: boolean
  readonly isNonLinearFormatIo: boolean
}

export interface ModelOutput {
  readonly name: string
  readonly dataType: ConfigDataType
  readonly dims: readonly number[]
  readonly reshape?: Reshape
  /** Relative to the model directory; line n names class n. */
  readonly labelFilename: string
  readonly isShapeTensor: boolean
  readonly isNonLinearFormatIo: boolean
}

export interface BatchInput {
  readonly kind:
    | 'BATCH_ELEMENT_COUNT'
    | 'BATCH_ACCUMULATED_ELEMENT_COUNT'
    | 'BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO'
    | 'BATCH_MAX_ELEMENT_COUNT_AS_SHAPE'
    | 'BATCH_ITEM_SHAPE'
    | 'BATCH_ITEM_SHAPE_FLATTEN'
  readonly targetName: readonly string[]
  readonly dataType: ConfigDataType
  readonly sourceInput: readonly string[]
}

export interface BatchOutput {
  readonly targetName: readonly string[]
  readonly kind: 'BATCH_SCATTER_WITH_INPUT_SHAPE'
  readonly sourceInput: readonly string[]
}

export interface Accelerator {
  readonly name: string
  readonly parameters: Readonly<Record<string, string>>
}

export interface GraphSpec {
  readonly batchSize: number
  readonly input: Readonly<Record<string, { readonly dim: readonly number[] }>>
  readonly graphLowerBound?: {
    readonly batchSize: number
    readonly input: Readonly<Record<string, { readonly dim: readonly number[] }>>
  }
}

export interface OptimizationPolicy {
  readonly graph?: { readonly level: number }
  readonly priority: 'PRIORITY_DEFAULT' | 'PRIORITY_MAX' | 'PRIORITY_MIN'
  readonly cuda?: {
    readonly graphs: boolean
    readonly busyWaitEvents: boolean
    readonly graphSpec: readonly GraphSpec[]
    readonly outputCopyStream: boolean
  }
  readonly executionAccelerators?: {
    readonly gpuExecutionAccelerator: readonly Accelerator[]
    readonly cpuExecutionAccelerator: readonly Accelerator[]
  }
  readonly inputPinnedMemory?: { readonly enable: boolean }
  readonly outputPinnedMemory?: { readonly enable: boolean }
  readonly gatherKernelBufferThreshold: number
  readonly eagerBatching: boolean
}

export interface QueuePolicy {
  readonly timeoutAction: 'REJECT' | 'DELAY'
  readonly defaultTimeoutMicroseconds: number
  readonly allowTimeoutOverride: boolean
  /** 0: unlimited. */
  readonly maxQueueSize: number
}

export interface DynamicBatching {
  readonly preferredBatchSize: readonly number[]
  readonly maxQueueDelayMicroseconds: number
  readonly preserveOrdering: boolean
  readonly priorityLevels: number
  readonly defaultPriorityLevel: number
  readonly defaultQueuePolicy?: QueuePolicy
  /** By priority level, as text. */
  readonly priorityQueuePolicy: Readonly<Record<string, QueuePolicy>>
}

export interface SequenceControl {
  readonly kind:
    | 'CONTROL_SEQUENCE_START'
    | 'CONTROL_SEQUENCE_READY'
    | 'CONTROL_SEQUENCE_END'
    | 'CONTROL_SEQUENCE_CORRID'
  readonly int32FalseTrue: readonly number[]
  readonly fp32FalseTrue: readonly number[]
  readonly boolFalseTrue: readonly boolean[]
  readonly dataType: ConfigDataType
}

export interface SequenceState {
  readonly inputName: string
  readonly outputName: string
  readonly dataType: ConfigDataType
  readonly dims: readonly number[]
  readonly initialState: readonly {
    readonly dataType: ConfigDataType
    readonly dims: readonly number[]
    readonly zeroData?: boolean
    readonly dataFile?: string
    readonly name: string
  }[]
  readonly useSameBufferForInputOutput: boolean
  readonly useGrowableMemory: boolean
}

export interface SequenceBatching {
  readonly direct?: { readonly maxQueueDelayMicroseconds: number; readonly minimumSlotUtilization: number }
  readonly oldest?: {
    readonly maxCandidateSequences: number
    readonly preferredBatchSize: readonly number[]
    readonly maxQueueDelayMicroseconds: number
    readonly preserveOrdering: boolean
  }
  readonly maxSequenceIdleMicroseconds: number
  readonly controlInput: readonly { readonly name: string; readonly control: readonly SequenceControl[] }[]
  readonly state: readonly SequenceState[]
  readonly iterativeSequence: boolean
}

export interface EnsembleStep {
  readonly modelName: string
  /** -1: the latest. */
  readonly modelVersion: number
  /** Step model input by name to ensemble tensor. */
  readonly inputMap: Readonly<Record<string, string>>
  readonly outputMap: Readonly<Record<string, string>>
  readonly modelNamespace: string
}

export interface EnsembleScheduling {
  readonly step: readonly EnsembleStep[]
  readonly maxInflightRequests: number
}

export type InstanceGroupKind = 'KIND_AUTO' | 'KIND_GPU' | 'KIND_CPU' | 'KIND_MODEL'

export interface InstanceGroupConfig {
  readonly name: string
  readonly kind: InstanceGroupKind
  readonly count: number
  readonly rateLimiter?: {
    readonly resources: readonly { readonly name: string; readonly global: boolean; readonly count: number }[]
    readonly priority: number
  }
  readonly gpus: readonly number[]
  readonly secondaryDevices: readonly { readonly kind: 'KIND_NVDLA'; readonly deviceId: number }[]
  readonly profile: readonly string[]
  readonly passive: boolean
  readonly hostPolicy: string
}

export interface WarmupInput {
  readonly dataType: ConfigDataType
  readonly dims: readonly number[]
  readonly zeroData?: boolean
  readonly randomData?: boolean
  readonly inputDataFile?: string
}

export interface ModelWarmup {
  readonly name: string
  readonly batchSize: number
  readonly inputs: Readonly<Record<string, WarmupInput>>
  readonly count: number
}

export interface RepositoryAgentConfig {
  readonly name: string
  readonly parameters: Readonly<Record<string, string>>
}

export interface MetricControl {
  readonly metricIdentifier?: { readonly family: string }
  readonly histogramOptions?: { readonly buckets: readonly number[] }
}

type PartialDeep<T> = T extends string | number | boolean
  ? T
  : T extends readonly (infer Element)[]
    ? readonly PartialDeep<Element>[]
    : { readonly [Key in keyof T]?: PartialDeep<T[Key]> | undefined }

/** A configuration as a TypeScript object: any subset of the fields, nested ones too. */
export type ModelConfigInput = PartialDeep<ModelConfig>
