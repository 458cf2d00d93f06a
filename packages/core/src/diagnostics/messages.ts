import type { TritonError } from '../errors.ts'

/** A request of a model version. Its start and its end are told with the same object, so what is kept by it is found again. */
export interface RequestMessage {
  readonly model: string
  readonly version: number
  /** The caller's id, `''` without one. */
  readonly requestId: string
  /** Items; 0 for a model without batching. */
  readonly batchSize: number
  /** When the engine took it, in milliseconds on the Server's clock: that of `performance.now()`. */
  readonly startTime: number
  /** Of the trace that it belongs to. */
  readonly traceId: string | undefined
  /** The request of another model that sent it: of an ensemble, or of a model in code. */
  readonly parent: RequestMessage | undefined
  /** At the end: milliseconds since the engine took it. */
  duration?: number
  /** At the end of a request that failed. */
  error?: TritonError
}

/** A request that a model version did not take. */
export interface RefusalMessage {
  readonly model: string
  readonly version: number
  /** The caller's id, `''` without one. */
  readonly requestId: string
  readonly error: TritonError
}

/** Requests that an instance runs together. */
export interface BatchMessage {
  readonly model: string
  /** `<group>_<n>` */
  readonly instance: string
  /** Items of all requests. */
  readonly batchSize: number
  /** Those of its requests whose start was told. */
  readonly requests: readonly RequestMessage[]
  /** At the end: milliseconds that it took. */
  duration?: number
}
