import type { ExecutionRequest } from './backend.ts'

/** What a request says of itself, but for its tensors; it can be copied to another thread or process. */
export type RequestFacts = Pick<
  ExecutionRequest,
  | 'id'
  | 'correlationId'
  | 'sequenceStart'
  | 'sequenceEnd'
  | 'priority'
  | 'timeoutMicroseconds'
  | 'parameters'
  | 'batchSize'
  | 'requestedOutputs'
  | 'isCancelled'
>

export const requestFacts = (request: ExecutionRequest): RequestFacts => ({
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
})
