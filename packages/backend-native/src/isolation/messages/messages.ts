import type { Logger } from '@triton-ts/core'
import type { BatchEvent } from './batch-event.ts'
import type { AbortMessage, AnswerMessage, CallMessage } from './call-message.ts'
import type { ErrorMessage } from './error-message.ts'
import type { InstanceReport, InstanceSpec, ModelReport, ModelSpec, Status } from './model-spec.ts'
import type { NestedRequestMessage, NestedResponseMessage, ServerCalls } from './nested-message.ts'
import type { RequestMessage } from './request-message.ts'

/** What the child answers. */
export interface ChildCalls {
  createModel(spec: ModelSpec): ModelReport
  createInstance(spec: InstanceSpec): InstanceReport
  isReady(instance: number): boolean
  disposeInstance(instance: number): void
  disposeModel(): void
}

/** From the parent to the child. */
export type ParentMessage =
  | CallMessage<ChildCalls>
  | AbortMessage
  | AnswerMessage
  | {
      readonly kind: 'execute'
      readonly instance: number
      readonly batch: number
      readonly requests: readonly RequestMessage[]
    }
  | { readonly kind: 'cancel'; readonly batch: number; readonly request: number }
  /** A fresh `status` is wanted. */
  | { readonly kind: 'askStatus' }
  | { readonly kind: 'nestedResponse'; readonly stream: number; readonly response: NestedResponseMessage }
  | { readonly kind: 'nestedEnd'; readonly stream: number; readonly error: ErrorMessage | undefined }

/** From the child to the parent. */
export type ChildMessage =
  | CallMessage<ServerCalls>
  | AbortMessage
  | AnswerMessage
  | { readonly kind: 'batch'; readonly batch: number; readonly event: BatchEvent }
  | { readonly kind: 'status'; readonly status: Status }
  | { readonly kind: 'log'; readonly level: keyof Logger; readonly fields: object; readonly message: string }
  | {
      readonly kind: 'nestedOpen'
      readonly stream: number
      readonly modelName: string
      readonly version: number
      readonly request: NestedRequestMessage
    }
  /** The consumer left the stream, or its signal was aborted. */
  | { readonly kind: 'nestedLeave'; readonly stream: number }
