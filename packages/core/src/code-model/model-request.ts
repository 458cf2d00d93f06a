import type { ParameterValue } from '../request/infer-request.ts'
import type { InputValue } from '../request/input-value.ts'
import type { Tensor } from '../request/tensor.ts'
import type { ResponseSender } from './response-sender.ts'

/** A request as the code of a model sees it. */
export interface ModelRequest {
  /** The caller's id, `''` without one. */
  readonly id: string
  /** By name; optional ones that were not sent are missing. With batching every shape starts with `batchSize`. */
  readonly inputs: Readonly<Record<string, Tensor>>
  /** Leading dimension of the inputs; 0 for a model without batching. */
  readonly batchSize: number
  /** The outputs that the caller wants; others may be answered and are left out. */
  readonly requestedOutputs: readonly string[]
  readonly parameters: Readonly<Record<string, ParameterValue>>
  /** The sequence that it belongs to; 0n for none. */
  readonly correlationId: bigint | string
  readonly sequenceStart: boolean
  readonly sequenceEnd: boolean
  readonly priority: number
  /** 0: none. */
  readonly timeoutMicroseconds: number
  /** The caller does not want the answer any more. */
  readonly isCancelled: boolean
  /** Aborted when `isCancelled` becomes true. */
  readonly signal: AbortSignal
  /**
   * W3C trace context of this request as JSON with `traceparent` and maybe `tracestate`, to be handed on to what the model
   * calls elsewhere; `''` where it is not traced so. Requests to other models belong to the trace anyway.
   */
  readonly traceContext: string
  /**
   * Answers in place of what `execute` returns, also later and, for a decoupled model, any number of times. Whoever
   * takes it has to end the request.
   */
  readonly sender: ResponseSender
  /**
   * Implicit state: what the next request of the sequence gets in the input that belongs to this output. The values are
   * copied.
   * @param output the `output_name` of an entry of `sequence_batching.state`.
   * @throws TritonError INVALID_ARG when the model has no such state.
   */
  updateState(output: string, state: InputValue): void
  /**
   * Iterative sequences: gives the request back to run again as the next of its sequence, instead of an answer.
   * @throws TritonError INVALID_ARG when the model has no `iterative_sequence`.
   */
  reschedule(): void
}
