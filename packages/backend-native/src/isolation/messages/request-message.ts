import type { ParameterValue } from '@triton-ts/core'
import type { ExecutionRequest } from '@triton-ts/core/backend'
import { type TensorMessage, toTensorMessages } from './tensor-message.ts'

/** What an `ExecutionRequest` says. */
export interface RequestMessage {
  readonly id: string
  readonly correlationId: bigint | string
  readonly sequenceStart: boolean
  readonly sequenceEnd: boolean
  readonly priority: number
  readonly timeoutMicroseconds: number
  readonly parameters: Readonly<Record<string, ParameterValue>>
  readonly inputs: readonly TensorMessage[]
  readonly batchSize: number
  readonly requestedOutputs: readonly string[]
  readonly isCancelled: boolean
}

export const toRequestMessage = (request: ExecutionRequest): RequestMessage => ({
  id: request.id,
  correlationId: request.correlationId,
  sequenceStart: request.sequenceStart,
  sequenceEnd: request.sequenceEnd,
  priority: request.priority,
  timeoutMicroseconds: request.timeoutMicroseconds,
  parameters: request.parameters,
  inputs: toTensorMessages(request.inputs),
  batchSize: request.batchSize,
  requestedOutputs: request.requestedOutputs,
  isCancelled: request.isCancelled,
})
