import { join } from 'node:path'
import { type ModelConfig, silentLogger, type Tensor, type TritonError } from '@triton-ts/core'
import type {
  BackendServer,
  ExecutionMarks,
  ExecutionRequest,
  ModelContext,
  ModelInput,
  ModelOutput,
} from '@triton-ts/core/backend'
import type { SessionSpec } from './session-spec.ts'

const cpuGroup = {
  name: 'm',
  kind: 'KIND_CPU',
  count: 1,
  gpus: [],
  secondaryDevices: [],
  profile: [],
  passive: false,
  hostPolicy: '',
} as const

/** A configuration with every default in place. */
export function modelConfig(fields: Partial<ModelConfig> = {}): ModelConfig {
  return {
    name: 'm',
    platform: 'onnxruntime_onnx',
    backend: 'onnxruntime',
    runtime: '',
    maxBatchSize: 0,
    input: [],
    output: [],
    batchInput: [],
    batchOutput: [],
    instanceGroup: [cpuGroup],
    defaultModelFilename: 'model.onnx',
    ccModelFilenames: {},
    metricTags: {},
    parameters: {},
    modelWarmup: [],
    ...fields,
  }
}

export function instanceGroup(fields: Partial<ModelConfig['instanceGroup'][number]>) {
  return [{ ...cpuGroup, ...fields }]
}

export function inputConfig(
  name: string,
  dataType: ModelInput['dataType'],
  dims: readonly number[],
  fields: Partial<ModelInput> = {},
): ModelInput {
  return {
    name,
    dataType,
    dims,
    format: 'FORMAT_NONE',
    isShapeTensor: false,
    allowRaggedBatch: false,
    optional: false,
    isNonLinearFormatIo: false,
    ...fields,
  }
}

export function outputConfig(
  name: string,
  dataType: ModelOutput['dataType'],
  dims: readonly number[],
  fields: Partial<ModelOutput> = {},
): ModelOutput {
  return { name, dataType, dims, labelFilename: '', isShapeTensor: false, isNonLinearFormatIo: false, ...fields }
}

/** Optimisation settings with the defaults of everything that is not given. */
export function optimization(fields: Partial<NonNullable<ModelConfig['optimization']>>) {
  return { priority: 'PRIORITY_DEFAULT', gatherKernelBufferThreshold: 0, eagerBatching: false, ...fields } as const
}

export function parameters(values: Readonly<Record<string, string>>): ModelConfig['parameters'] {
  return Object.fromEntries(Object.entries(values).map(([name, stringValue]) => [name, { stringValue }]))
}

export function sessionSpecFor(modelPath: string, fields: Partial<SessionSpec> = {}): SessionSpec {
  return {
    modelPath,
    inputs: [],
    providers: [],
    graphOptimizationLevel: 'all',
    executionMode: 'sequential',
    intraOpThreads: 1,
    interOpThreads: 0,
    memoryArena: undefined,
    memoryPattern: undefined,
    entries: {},
    ...fields,
  }
}

export function modelContext(repositoryPath: string, fields: Partial<ModelContext> = {}): ModelContext {
  return {
    name: 'm',
    version: 1,
    directory: join(repositoryPath, 'm'),
    versionDirectory: join(repositoryPath, 'm', '1'),
    config: modelConfig(),
    autoComplete: false,
    backendConfig: {},
    // These models call no others.
    server: {} as BackendServer,
    collectMetrics: () => nothing,
    logger: silentLogger,
    signal: new AbortController().signal,
    ...fields,
  }
}

/** A request that keeps what the backend answers. */
export class TestRequest implements ExecutionRequest {
  readonly id = ''
  readonly correlationId = 0n
  readonly sequenceStart = false
  readonly sequenceEnd = false
  readonly priority = 0
  readonly timeoutMicroseconds = 0
  readonly parameters = {}
  readonly isCancelled = false
  readonly signal: AbortSignal = new AbortController().signal
  readonly inputs: ReadonlyMap<string, Tensor>
  readonly batchSize: number
  readonly requestedOutputs: readonly string[]
  outputs: Readonly<Record<string, Tensor>> = {}
  readonly states: Record<string, Tensor> = {}
  error: TritonError | undefined

  constructor(inputs: Record<string, Tensor>, requestedOutputs: readonly string[], batchSize = 0) {
    this.inputs = new Map(Object.entries(inputs))
    this.requestedOutputs = requestedOutputs
    this.batchSize = batchSize
  }

  respond({ outputs }: { readonly outputs: Readonly<Record<string, Tensor>> }): void {
    this.outputs = outputs
  }

  fail(error: TritonError): void {
    this.error = error
  }

  updateState(output: string, state: Tensor): void {
    this.states[output] = state
  }

  reschedule(): void {}

  end(): void {}

  keep(): void {}

  room(): undefined {
    return undefined
  }
}

const nothing = (): void => {}

export const noMarks: ExecutionMarks = {
  computeStart: nothing,
  computeEnd: nothing,
  reportRequest: nothing,
  reportBatch: nothing,
  reportResponse: nothing,
}
