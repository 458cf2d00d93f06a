import type { ExecutionRequest } from '@triton-ts/core/backend'
import type { RequestMessage } from './messages.ts'
import type { TensorPacker } from './packed-tensors.ts'

/** @param packer gets the inputs. */
export const toRequestMessage = (request: ExecutionRequest, packer: TensorPacker): RequestMessage => ({
  id: request.id,
  correlationId: request.correlationId,
  sequenceStart: request.sequenceStart,
  sequenceEnd: request.sequenceEnd,
  priority: request.priority,
  timeoutMicroseconds: request.timeoutMicroseconds,
  parameters: request.parameters,
  batchSize: request.batchSize,
  requestedOutputs: request.requestedOutputs,
  isCancelled: request.isCancelled,
  inputs: packer.add(request.inputs),
})
