import { type ExecutionRequest, requestFacts } from '@triton-ts/core/backend'
import type { RequestMessage } from './messages.ts'
import type { TensorPacker } from './packed-tensors.ts'

/** @param packer gets the inputs. */
export const toRequestMessage = (request: ExecutionRequest, packer: TensorPacker): RequestMessage => ({
  ...requestFacts(request),
  inputs: packer.add(request.inputs),
})
