import type {
  InferenceResponse,
  InferRequest,
  LoadOptions,
  ModelIndexEntry,
  ModelMetadata,
  ModelStatistics,
  ServerMetadata,
} from '@triton-ts/core'
import type { UnloadOptions, Waiting } from '@triton-ts/core/backend'
import type { ErrorMessage } from './error-message.ts'
import type { TensorMessage } from './tensor-message.ts'

/** A request that the child's model makes of another model. */
export interface NestedRequestMessage extends Omit<InferRequest, 'inputs' | 'signal' | 'explain'> {
  readonly inputs: readonly TensorMessage[]
}

export interface NestedResponseMessage
  extends Pick<InferenceResponse, 'modelName' | 'modelVersion' | 'id' | 'parameters'> {
  readonly outputs: readonly TensorMessage[]
  readonly error?: ErrorMessage | undefined
}

/** A `ServedModel` as it is when it is asked for. */
export interface ServedModelMessage {
  readonly version: number
  readonly isDecoupled: boolean
  readonly configJson: Record<string, unknown>
  readonly metadata: ModelMetadata
}

/** How a request of the child's model has waited for a model. */
export interface BroughtMessage {
  /** False where the model was there at once, or where models do not come on demand. */
  readonly hasWaited: boolean
  /** What is left of the time of the request. */
  readonly timeoutMicroseconds?: number | undefined
}

/** What the child's model may ask of the Server and wait for. */
export interface ServerCalls {
  isReady(): boolean
  isModelReady(modelName: string, version: number): boolean
  /** Waits for a model that comes on demand. */
  bring(modelName: string, request: Pick<Waiting, 'servesBatch' | 'timeoutMicroseconds'>): BroughtMessage
  load(modelName: string, options: Omit<LoadOptions, 'signal'>): void
  unload(modelName: string, options: UnloadOptions): void
  index(options: { readonly ready?: boolean | undefined }): ModelIndexEntry[]
}

/** What it may ask without a promise. */
export interface ServerQueries {
  model(modelName: string, version: number): ServedModelMessage
  metadata(): ServerMetadata
  statistics(modelName: string, version: number): ModelStatistics[]
  metrics(): string
}
