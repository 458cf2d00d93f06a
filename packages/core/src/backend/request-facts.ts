import type { ExecutionRequest } from './backend.ts'
import { type TraceFacts, traceFacts } from './trace-facts.ts'

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
> & { readonly trace: TraceFacts | undefined }

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
  trace: request.trace && traceFacts(request.trace),
})
