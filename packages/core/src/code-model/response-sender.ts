import type { ParameterValue } from '../request/infer-request.ts'
import type { OutputValues } from './model-code.ts'

export interface SendOptions {
  /** Whether it is the last one. Default: true for a model that is not decoupled, else false. */
  readonly final?: boolean | undefined
  readonly parameters?: Readonly<Record<string, ParameterValue>> | undefined
}

/** Sends the responses of one request. It may be used after `execute` returned. */
export interface ResponseSender {
  /** The caller does not want more: sending has no effect any more, and the request still has to be ended. */
  readonly isCancelled: boolean
  /**
   * Sends a response. The promise is for back-pressure: it resolves when whoever reads has room for another one. Without
   * waiting for it nothing is lost, but responses pile up.
   * @throws TritonError for outputs that do not fit the configuration, or after the end.
   */
  send(outputs: OutputValues, options?: SendOptions): Promise<void>
  /**
   * Ends the request with an error.
   * @param options.final false: only one response of a decoupled model failed, others may follow.
   * @throws TritonError after the end.
   */
  fail(error: Error, options?: { readonly final?: boolean | undefined }): void
  /** Ends the request without a further response. @throws TritonError after the end. */
  end(): void
}
