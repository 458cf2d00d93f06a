import type { DataType, Tensor } from '@triton-ts/core'
import type { SessionSpec } from './session-spec.ts'

/**
 * One opened ONNX session and the thread that runs it. This is all the backend needs of a runtime: whoever implements
 * it decides where the session lives, but must never run or open it on the calling thread.
 */
export interface OnnxExecutor {
  /** What the model file says of its tensors. */
  readonly signature: ModelSignature
  /** False once the executor cannot run any more. */
  readonly isAlive: boolean
  /**
   * Runs the model once and answers with `outputs` in that order. One run at a time. The feeds' memory is neither
   * changed nor kept, so that the caller may use it again when the promise has settled.
   * @throws TritonError `onnx runtime error <code>: <text>` when the model fails.
   */
  run(feeds: readonly Feed[], outputs: readonly string[]): Promise<readonly Tensor[]>
  /** Frees the session; waits for a run in progress. */
  dispose(): Promise<void>
}

/**
 * Opens a session.
 * @throws TritonError; its text becomes the reason of the failed load. The signal's reason when it was aborted.
 */
export type OpenExecutor = (spec: SessionSpec, signal: AbortSignal) => Promise<OnnxExecutor>

/** One input of a run. */
export interface Feed {
  readonly name: string
  readonly datatype: DataType
  readonly shape: readonly number[]
  /** The wire form in pieces, one for each request of the batch. */
  readonly parts: readonly Uint8Array[]
}

export interface ModelSignature {
  /** Inputs that a run needs. */
  readonly inputs: readonly TensorInfo[]
  readonly outputs: readonly TensorInfo[]
  /** Initializers that are graph inputs too and that `SessionSpec.inputs` names: inputs with a default. */
  readonly initializers: readonly TensorInfo[]
  /** All initializers that could be inputs; known only where `SessionSpec.inputs` names something beyond `inputs`. */
  readonly initializerNames: readonly string[]
}

export interface TensorInfo {
  readonly name: string
  /** Undefined for an element type that Triton does not know, UINT4 for instance. */
  readonly datatype: DataType | undefined
  /** Variable dimensions are -1. */
  readonly shape: readonly number[]
}
