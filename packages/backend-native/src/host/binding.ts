import type { GpuReading } from '@triton-ts/core'
/**
 * The addon as TypeScript sees it. Handles are opaque; each is closed once, instances before their model, models before
 * their backend. All functions belong to the JavaScript thread that opened the host.
 */
export interface Binding {
  /** Version of the backend ABI that the addon implements. */
  readonly abi: { readonly major: number; readonly minor: number }
  /** @param deliver hears what happens in the addon, see `Deliver`. */
  createHost(deliver: Deliver): HostHandle
  /**
   * Delivers what has gathered, without waiting for the event loop's next turn.
   * @param again the caller promises to call it again soon; until then the addon does not wake the event loop.
   */
  drain(host: HostHandle, again: boolean): void
  /** Whether the host keeps the process alive: while something is pending. */
  keepAlive(host: HostHandle, alive: boolean): void
  /**
   * The last thing done with a host: cancels what runs, finalizes what is left and joins the threads.
   * @param exitCode of the process that ends; undefined: only this thread of it ends.
   */
  closeHost(host: HostHandle, exitCode: number | undefined): void

  /** From now on libraries hear that verbose messages are wanted, in the whole process. */
  enableVerboseLog(): void

  // Each of these ends with an OPERATION event that carries the number `operation`.
  openBackend(host: HostHandle, operation: number, spec: BackendSpec): BackendHandle
  openModel(backend: BackendHandle, operation: number, spec: ModelSpec): ModelHandle
  openInstance(model: ModelHandle, operation: number, spec: InstanceSpec): InstanceHandle
  closeBackend(backend: BackendHandle, operation: number): void
  closeModel(model: ModelHandle, operation: number): void
  closeInstance(instance: InstanceHandle, operation: number): void
  isReady(instance: InstanceHandle, operation: number): void

  /**
   * The final configuration, before the first instance.
   * @param names of inputs, outputs and states, which records then call by their place in this list.
   */
  setModelConfig(model: ModelHandle, json: string, names: readonly string[]): void
  /** Takes notice of a larger or first submission buffer; requests are written into it, see `SubmissionWriter`. */
  setSubmissionBuffer(host: HostHandle, numbers: Float64Array): void
  /**
   * Runs the `count` requests that the submission buffer and `values` describe; ends with an EXECUTED event.
   * @param execution number that the event carries.
   * @param inline run in the calling thread; the events are delivered before it returns.
   */
  execute(instance: InstanceHandle, execution: number, count: number, values: readonly unknown[], inline: boolean): void
  /** The engine's caller has given up; the library may ask. */
  cancel(host: HostHandle, request: number): void
  /**
   * Custom batching: whether the request that the submission buffer describes may join the batch.
   * @param restart whether a batch begins with it. The result is ignored then, but the library is asked.
   * @throws Error with the library's text.
   */
  includeRequest(model: ModelHandle, restart: boolean, values: readonly unknown[]): boolean

  /** One response of a nested request, or its error; see `NestedResponse`. The outputs are copied off this thread. */
  answerInfer(host: HostHandle, infer: number, response: NestedResponse): void
  /** Answers a QUERY event with JSON (`metrics`: with the page), or with an error. */
  answerQuery(host: HostHandle, query: number, json: string, error: NativeError | undefined): void

  /** The metric families that libraries made and that belong to this host. */
  collectMetrics(host: HostHandle): readonly NativeMetricFamily[]
  /** What the library reported for a model and its instances. */
  memoryUsage(model: ModelHandle): readonly NativeMemoryUse[]
  /** The first bytes of a file as memory that is shared with whoever maps them, too. Bytes behind its end must not be touched. */
  mapFile(descriptor: number, size: number): ArrayBuffer
  /** Lets go of what `mapFile` gave, which is empty then; otherwise that is done when it is collected. */
  unmapFile(mapped: ArrayBuffer): void
  /** Why no GPU can be reached, empty where one can. Opens the CUDA driver. */
  cudaProblem(): Promise<string>
  /** @param handle the `cudaIpcMemHandle_t` of another process, 64 bytes. */
  openCudaMemory(
    device: number,
    handle: Uint8Array,
  ): Promise<{ readonly memory: CudaMemoryHandle; readonly byteSize: number }>
  /** Copies to the CPU; `into` must not be touched until that is done. */
  readCudaMemory(memory: CudaMemoryHandle, offset: number, into: Uint8Array): Promise<void>
  writeCudaMemory(memory: CudaMemoryHandle, offset: number, bytes: Uint8Array): Promise<void>
  /** Once, when no copy runs. */
  closeCudaMemory(memory: CudaMemoryHandle): Promise<void>
  /** The GPUs of this machine, by their places on the bus. @throws Error (as a rejection) where there is no driver. */
  findGpus(): Promise<readonly { readonly uuid: string; readonly name: string }[]>
  /** How they do, in the same order. `findGpus` has found them. */
  readGpus(): Promise<readonly GpuReading[]>
  /** Objects of the addon that live, by kind, in the whole process. For tests. */
  liveObjects(): Readonly<Record<string, number>>
}

declare const handle: unique symbol
export type CudaMemoryHandle = { readonly [handle]: 'cudaMemory' }
export type HostHandle = { readonly [handle]: 'host' }
export type BackendHandle = { readonly [handle]: 'backend' }
export type ModelHandle = { readonly [handle]: 'model' }
export type InstanceHandle = { readonly [handle]: 'instance' }

/**
 * Called with records, one after the other: `numbers` up to `length`, beginning each with an `EventKind`, and beside them
 * `values`, from which each record takes what is no number, in order. Both are valid during the call only. Must not throw.
 */
export type Deliver = (numbers: Float64Array, length: number, values: readonly unknown[]) => void

/** Triton's number of an error code, 0 UNKNOWN to 7 CANCELLED, and the text. */
export interface NativeError {
  readonly code: number
  readonly message: string
}

export interface BackendSpec {
  /** Number by which events name the backend. */
  readonly id: number
  readonly name: string
  /** Absolute path of the shared library. */
  readonly library: string
  /** Absolute path of the directory that it came from. */
  readonly directory: string
  /** `{"cmdline":{...}}`. */
  readonly config: string
}

/** The result of `openBackend`. */
export interface OpenedBackend {
  readonly policy: 'BLOCKING' | 'DEVICE_BLOCKING'
  /** `kind` is Triton's number of the instance group kind. */
  readonly preferredGroups: readonly {
    readonly kind: number
    readonly count: number
    readonly devices: readonly number[]
  }[]
  readonly parallelInstanceLoading: boolean
}

export interface ModelSpec {
  /** Number by which events name the model and the Server behind it. */
  readonly id: number
  readonly name: string
  readonly version: number
  /** Absolute path of the model's directory. */
  readonly directory: string
  readonly config: string
  readonly autoComplete: boolean
  /** Absolute path of a batching strategy library; undefined: without custom batching. */
  readonly batchStrategy: string | undefined
}

/** The result of `openModel`. */
export interface OpenedModel {
  /** The configuration that the library set, if it did. */
  readonly config: string | undefined
  /** Whether `includeRequest` may be called. */
  readonly hasBatcher: boolean
}

export interface InstanceSpec {
  /** Number by which events name the instance. */
  readonly id: number
  readonly name: string
  /** Triton's number of the instance group kind. */
  readonly kind: number
  readonly device: number
  readonly passive: boolean
  readonly hostPolicyName: string
  /** `{"<policy name>":{...}}`. */
  readonly hostPolicy: string
  readonly profiles: readonly string[]
  readonly secondaryDevices: readonly { readonly kind: string; readonly id: number }[]
}

export interface NativeTensor {
  readonly name: string
  /** Triton's number of the data type. */
  readonly datatype: number
  readonly shape: readonly number[]
  readonly data: Uint8Array
}

/** Type is Triton's number of the parameter type; an INT is a bigint, BYTES a Uint8Array. */
export interface NativeParameter {
  readonly name: string
  readonly type: number
  readonly value: string | bigint | boolean | number | Uint8Array
}

/** The value of an INFER event: a request that a library makes of the engine. */
export interface NestedRequest {
  readonly modelName: string
  readonly modelVersion: number
  readonly id: string
  readonly correlationId: bigint | string
  /** 1 sequence start, 2 sequence end. */
  readonly flags: number
  readonly priority: number
  readonly timeoutMicroseconds: number
  readonly parameters: readonly NativeParameter[]
  readonly inputs: readonly NativeTensor[]
  /** Empty: all. */
  readonly outputs: readonly string[]
}

export interface NestedResponse {
  readonly final: boolean
  /** The end of a decoupled model's responses, which comes without a response: the library gets null. */
  readonly isBareEnd?: true
  readonly error?: NativeError
  readonly modelName: string
  readonly modelVersion: number
  readonly id: string
  readonly parameters: readonly NativeParameter[]
  readonly outputs: readonly NativeTensor[]
}

/** The value of a QUERY event. */
export interface NativeQuery {
  readonly kind:
    | 'isLive'
    | 'isReady'
    | 'modelIsReady'
    | 'batchProperties'
    | 'transactionProperties'
    | 'serverMetadata'
    | 'modelMetadata'
    | 'modelStatistics'
    | 'modelConfig'
    | 'modelIndex'
    | 'metrics'
    | 'load'
    | 'unload'
  readonly modelName: string
  readonly modelVersion: number
  /** Of the index: 1 ready only. Of unload: 1 dependents too. */
  readonly flags: number
  readonly parameters: readonly NativeParameter[]
}

export interface NativeMetricFamily {
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly metrics: readonly NativeMetric[]
}

export interface NativeMetric {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  /** Of a histogram: upper bounds and how many values were at or below each, without +Inf. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[]
  readonly sum: number
  readonly count: number
}

export interface NativeMemoryUse {
  /** 0 CPU, 1 pinned, 2 GPU. */
  readonly type: number
  readonly id: number
  readonly byteSize: number
}
