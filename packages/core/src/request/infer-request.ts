import type { ExplainedSplit } from '../response/explanation.ts'
import type { InferenceTrace } from '../trace/inference-trace.ts'
import type { VersionWeights } from '../traffic/traffic-split.ts'
import type { Tensor } from './tensor.ts'

/** Values of request and response parameters. */
export type ParameterValue = string | number | bigint | boolean

export interface RequestInput {
  readonly name: string
  readonly tensor: Tensor
}

/** An inference request with everything that the protocol knows. `Server.infer` is the short form of it. */
export interface InferRequest {
  /** Echoed in the response and named in errors. Default `''`. */
  readonly id?: string | undefined
  /** In any order; Triton's checks apply when the request is sent. */
  readonly inputs: readonly RequestInput[]
  /** Instead of `inputs`: the bytes of the model's only input, whose shape is deduced from their number. */
  readonly rawInput?: Uint8Array | undefined
  /** Names of the wanted outputs. Default: all. */
  readonly outputs?: readonly string[] | undefined
  /** The sequence that it belongs to: a number from 1 to 2^64 - 1, or a text of 1 to 128 bytes. Default: none. */
  readonly correlationId?: number | bigint | string | undefined
  /** Whether it is the first of its sequence. Default false. */
  readonly sequenceStart?: boolean | undefined
  /** Whether it is the last of its sequence. Default false. */
  readonly sequenceEnd?: boolean | undefined
  /** 1 is the highest level; 0 or a level that the model does not have is its default level. */
  readonly priority?: number | undefined
  /** Limit for the time in the queue, in microseconds, where the model's queue policy allows it. Default 0: none. */
  readonly timeoutMicroseconds?: number | undefined
  readonly parameters?: Readonly<Record<string, ParameterValue>> | undefined
  /**
   * Where a traffic split chooses the version: requests with the same key go to the same one, as long as the weights stay.
   * Default: the parameter that the split names, then the `correlationId`; without any, versions take turns.
   */
  readonly stickyKey?: ParameterValue | undefined
  /** Weights of versions for this request alone, where it names no version. Default: the model's traffic split. */
  readonly trafficSplit?: VersionWeights | undefined
  /** Whether each response tells why the request ran when it did, and with whom. Default false, which costs nothing. */
  readonly explain?: boolean | undefined
  /** Aborting it cancels the request at whatever stage it is in; the call then rejects with CANCELLED. */
  readonly signal?: AbortSignal | undefined
  /**
   * The trace that it is to add to, from `server.startTrace`; null: it was decided that there is none. Default: the
   * settings of traces decide.
   */
  readonly trace?: InferenceTrace | null | undefined
}

/** A request of which it is decided which version it goes to. */
export interface RoutedRequest extends InferRequest {
  /** Why it goes there, where it is to be explained and a traffic split decided. */
  readonly split?: ExplainedSplit | undefined
}
