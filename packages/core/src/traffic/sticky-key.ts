import { TritonError } from '../errors.ts'
import type { InferRequest } from '../request/infer-request.ts'
import { requestPrefix } from '../request/validate-request.ts'

type KeyedRequest = Pick<InferRequest, 'id' | 'parameters' | 'stickyKey'>

/**
 * What the version of a request depends on, as text: the number 42 and the text '42' are one key, an empty text is none.
 * @param parameter the name of the request parameter that is asked where there is no `stickyKey`; in any case.
 * @throws TritonError INVALID_ARG for a key of another type.
 */
export function stickyKeyOf(request: KeyedRequest, parameter: string): string | undefined {
  const key: unknown = request.stickyKey ?? parameterOf(request.parameters, parameter)
  if (key === undefined || key === '') return undefined
  if (typeof key === 'string') return key
  if (typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean') return String(key)
  const text = `${requestPrefix(request.id)}a sticky key must be a string, a number or a boolean, not ${typeof key}`
  throw new TritonError('INVALID_ARG', text)
}

/** It may have been a header, whose name is as well written in capitals. */
function parameterOf(parameters: InferRequest['parameters'], name: string): unknown {
  if (parameters === undefined) return undefined
  // Names come from clients, and objects have more properties than their own.
  if (Object.hasOwn(parameters, name)) return parameters[name]
  const lower = name.toLowerCase()
  for (const other of Object.keys(parameters)) {
    if (other.length === name.length && other.toLowerCase() === lower) return parameters[other]
  }
  return undefined
}
