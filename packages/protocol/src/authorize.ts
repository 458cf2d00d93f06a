import type { RestrictedApi } from './restriction.ts'

/** What a call wants to use: a part of the inference protocols, the metrics page or the live page. */
export type AccessApi = RestrictedApi | 'metrics' | 'dashboard'

/** What is known of a call before anything of its body is read. */
export interface AccessCall {
  readonly protocol: 'http' | 'grpc'
  readonly api: AccessApi
  /** The path of a URL without its query, or `/<service>/<method>` of gRPC. */
  readonly path: string
  /** The value of a header or of gRPC metadata, by its name in lower case. */
  header(name: string): string | undefined
  /** The address of the other side, which may be a proxy; undefined where the runtime does not tell. */
  readonly peer: string | undefined
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal | undefined
}

/**
 * Says whether a call is answered. One that throws or rejects refuses; its error is logged, and the client does not
 * hear it.
 */
export type Authorize = (call: AccessCall) => boolean | Promise<boolean>
