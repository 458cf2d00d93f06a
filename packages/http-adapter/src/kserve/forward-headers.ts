import { TritonError } from '@triton-ts/core'
import type { UniversalRequest } from '../universal.ts'
import type { InferMessage } from './infer-message.ts'

const reservedNames: ReadonlySet<string> = new Set([
  'sequence_id',
  'sequence_start',
  'sequence_end',
  'priority',
  'timeout',
  'headers',
  'binary_data_output',
])

/** Makes request parameters of the headers that match; they win over parameters of the same name in the body. */
export function forwardHeaders(pattern: RegExp, request: UniversalRequest, message: InferMessage): void {
  for (const [name, value] of request.headers()) {
    if (!pattern.test(name)) continue
    if (reservedNames.has(name) || name.startsWith('triton_')) {
      throw new TritonError('INVALID_ARG', `Header '${name}' is reserved for Triton usage and cannot be forwarded.`)
    }
    message.setParameter(name, value)
  }
}
