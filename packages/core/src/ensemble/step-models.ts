import type { Labels } from '../repository/label-file.ts'
import type { InferRequest } from '../request/infer-request.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import type { ModelSignature } from '../request/model-signature.ts'
import type { ResponseListener } from '../response/response-listener.ts'

/** A model version as the step of an ensemble. */
export interface StepModel {
  readonly version: number
  readonly signature: ModelSignature
  readonly labels: Labels
  /** Keeps it from being disposed until `letGo` was called as often; it may be out of service by then. */
  hold(): void
  letGo(): void
  /** @throws TritonError when the request is not taken; the listener then hears nothing. */
  sendNested(request: InferRequest, listener: ResponseListener, parent: InferenceRequest): InferenceRequest
}

/** Where an ensemble finds the models of its steps. */
export interface StepModels {
  /**
   * @param version -1: the latest that is ready.
   * @throws TritonError NOT_FOUND or UNAVAILABLE when it does not serve.
   */
  find(name: string, version: number): StepModel
}
