import { expectForwardable } from '@triton-ts/protocol'
import type { UniversalRequest } from '../universal.ts'
import type { InferMessage } from './infer-message.ts'

/** Makes request parameters of the headers that match; they win over parameters of the same name in the body. */
export function forwardHeaders(pattern: RegExp, request: UniversalRequest, message: InferMessage): void {
  for (const [name, value] of request.headers()) {
    if (!pattern.test(name)) continue
    expectForwardable(name)
    message.setParameter(name, value)
  }
}
