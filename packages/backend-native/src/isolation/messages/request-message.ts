import { type ExecutionRequest, type RequestFacts, requestFacts } from '@triton-ts/core/backend'
import { type TensorMessage, toTensorMessages } from './tensor-message.ts'

/** What an `ExecutionRequest` says. */
export interface RequestMessage extends RequestFacts {
  readonly inputs: readonly TensorMessage[]
}

export const toRequestMessage = (request: ExecutionRequest): RequestMessage => ({
  ...requestFacts(request),
  inputs: toTensorMessages(request.inputs),
})
