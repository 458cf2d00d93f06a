import type { TritonError } from '../errors.ts'
import type { InferenceResponse } from './inference-response.ts'

/** Who waits for the answers to a request. Ends with a final response, with `onEnd` or with `onError`. */
export interface ResponseListener {
  onResponse(response: InferenceResponse, final: boolean): void
  /** No further response comes. */
  onEnd(): void
  onError(error: TritonError): void
  /** Of one that passes on what it hears: the request was not taken after all, and nobody is to hear of it. */
  onDiscard?(): void
  /** As `ExecutionRequest.room`. Default: there always is. */
  room?(): Promise<void> | undefined
}
