import type { MessagePort } from 'node:worker_threads'
import type { DataType, ErrorCode } from '@triton-ts/core'
import type { ModelSignature } from './onnx-executor.ts'
import type { SessionSpec } from './session-spec.ts'

/** What a worker gets at its start. It opens the session and answers `opened` or `failed`. */
export interface WorkerStart {
  readonly port: MessagePort
  readonly gate: SharedArrayBuffer
  readonly spec: SessionSpec
}

export type WorkerRequest = RunRequest | { readonly kind: 'close' }

/** Runs the session. The buffer is transferred, and comes back with the answer. */
export interface RunRequest {
  readonly kind: 'run'
  readonly buffer: ArrayBuffer
  readonly feeds: readonly FeedLayout[]
  readonly outputs: readonly string[]
}

/** An input and where its wire form lies in the buffer, at an offset that is aligned for every type. */
export interface FeedLayout {
  readonly name: string
  readonly datatype: DataType
  readonly shape: readonly number[]
  readonly offset: number
  readonly byteLength: number
}

export type WorkerAnswer =
  | { readonly kind: 'opened'; readonly signature: ModelSignature }
  | RunAnswer
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly buffer?: ArrayBuffer }

export interface RunAnswer {
  readonly kind: 'done'
  readonly outputs: readonly OutputPayload[]
  readonly buffer: ArrayBuffer
  /** How long the model itself took. */
  readonly milliseconds: number
}

/** An output in its wire form; the memory was transferred. */
export interface OutputPayload {
  readonly datatype: DataType
  readonly shape: readonly number[]
  readonly bytes: Uint8Array
}
