import type { ParameterValue, Tensor } from '@triton-ts/core'
import type { NestedRequest } from '@triton-ts/core/backend'
import type { NestedAsk } from '../wire/messages.ts'
import { fromParameterMessage, fromParameterMessages } from '../wire/parameters.ts'

const sequenceStart = 1
const sequenceEnd = 2

/** What a model says of a request that it sends. */
export function toNestedRequest(
  { rid, out, c, f = 0, t, p, params }: NestedAsk,
  tensors: Readonly<Record<string, Tensor>>,
  signal: AbortSignal,
): NestedRequest {
  return {
    inputs: Object.entries(tensors).map(([name, tensor]) => ({ name, tensor })),
    signal,
    sequenceStart: (f & sequenceStart) !== 0,
    sequenceEnd: (f & sequenceEnd) !== 0,
    ...(rid !== undefined && { id: rid }),
    ...(out !== undefined && out.length > 0 && { outputs: out }),
    ...(c !== undefined && { correlationId: fromParameterMessage(c) as Exclude<ParameterValue, boolean> }),
    ...(t !== undefined && { timeoutMicroseconds: Number(fromParameterMessage(t)) }),
    ...(p !== undefined && { priority: Number(fromParameterMessage(p)) }),
    ...(params !== undefined && { parameters: fromParameterMessages(params) }),
  }
}
