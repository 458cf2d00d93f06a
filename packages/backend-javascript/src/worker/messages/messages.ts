import type { LoadOptions, Logger, ParameterValue } from '@triton-ts/core'
import type { AutoCompletedConfig, HostFacts, MetricChange, RequestFacts } from '@triton-ts/core/backend'
import type { CodePlace } from '../../import-code.ts'
import type { Asking } from './asker.ts'
import type { ErrorMessage } from './error-message.ts'
import type { NestedMessage } from './nested-message.ts'
import type { PackedTensors, TensorPart } from './packed-tensors.ts'

/** What a worker is started with. */
export interface WorkerSpec {
  readonly place: CodePlace
  readonly facts: HostFacts
}

/** What the Server asks of a worker. Configurations are JSON. */
export interface WorkerQuestions {
  /** What the code tells of its model. */
  complete(config: string): AutoCompletedConfig
  /** Makes the instance. Returns whether the code has a word in its readiness. */
  open(instance: { readonly name: string; readonly config: string }): boolean
  isReady(): boolean
  finalize(): void
}

/** What the code in a worker asks of the Server. */
export interface ServerQuestions {
  infer(call: NestedMessage): PackedTensors
  /** The next response; with the first question the request is sent. Undefined: there is none any more. */
  next(question: { readonly stream: number; readonly call: NestedMessage | undefined }): PackedTensors | undefined
  /** Cancels the request of a stream, whose reader then hears that from `next`. */
  cancel(stream: number): void
  /** Cancels it for a reader that asks no more. */
  leave(stream: number): void
  isModelReady(question: { readonly model: string; readonly version: number }): boolean
  load(question: { readonly model: string; readonly options: Omit<LoadOptions, 'signal'> }): void
  unload(model: string): void
}

/** What an `ExecutionRequest` says. The inputs lie in the buffer of the batch. */
export interface RequestMessage extends RequestFacts {
  readonly inputs: readonly TensorPart[]
}

/** What becomes of a request, by its place in the batch. */
export type RequestEvent =
  | {
      readonly kind: 'respond'
      readonly outputs: PackedTensors
      readonly parameters: Readonly<Record<string, ParameterValue>> | undefined
      readonly final: boolean
    }
  | { readonly kind: 'fail'; readonly error: ErrorMessage; readonly final: boolean }
  | { readonly kind: 'end' | 'keep' | 'reschedule' }
  | { readonly kind: 'updateState'; readonly state: PackedTensors }
  /** For its trace. `time` in nanoseconds. */
  | { readonly kind: 'activity'; readonly activity: string; readonly time: bigint }

/** From the Server to a worker. */
export type ServerMessage =
  | Asking
  | {
      readonly kind: 'execute'
      readonly batch: number
      readonly data: ArrayBuffer
      readonly requests: readonly RequestMessage[]
    }
  /** The caller gave up. */
  | { readonly kind: 'cancel'; readonly batch: number; readonly request: number }
  /** Whoever reads has room for one more response. */
  | { readonly kind: 'taken'; readonly batch: number; readonly request: number }

/** From a worker to the Server. */
export type WorkerMessage =
  | Asking
  | { readonly kind: 'event'; readonly batch: number; readonly request: number; readonly event: RequestEvent }
  /** `execute` returned, or threw. */
  | { readonly kind: 'executed'; readonly batch: number; readonly error: ErrorMessage | undefined }
  | { readonly kind: 'log'; readonly level: keyof Logger; readonly fields: object; readonly message: string }
  | { readonly kind: 'metric'; readonly change: MetricChange }
