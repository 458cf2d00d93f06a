import { TritonError } from '../errors.ts'
import { requestPrefix } from '../request/validate-request.ts'
import type { ExecutionRequest } from './backend.ts'

/**
 * The shape that a request has for the `source_input` of a `batch_input` or `batch_output`.
 * @throws TritonError INVALID_ARG when the request leaves this input out.
 */
export function sourceShape({ id, inputs }: ExecutionRequest, name: string): readonly number[] {
  const tensor = inputs.get(name)
  if (tensor !== undefined) return tensor.shape
  throw new TritonError('INVALID_ARG', `${requestPrefix(id)}unknown request input name ${name}`)
}
