import { TritonError } from '../errors.ts'
import type { InferRequest } from './infer-request.ts'

const largestNumber = 2n ** 64n - 1n

/** Bytes of UTF-8. */
const longestText = 128

/**
 * The id that tells the requests of one sequence, as the engine keeps it: text, or Triton's 64 bits without sign.
 * `0n` and `''` are none.
 * @throws TritonError INVALID_ARG for another number, UNSUPPORTED for a text of more than 128 bytes.
 */
export function toCorrelationId(id: InferRequest['correlationId'] = 0n): bigint | string {
  if (typeof id === 'string') {
    if (id.length * 3 <= longestText || Buffer.byteLength(id) <= longestText) return id
    throw new TritonError('UNSUPPORTED', `string correlation ID cannot be longer than ${longestText} characters`)
  }
  const number = typeof id === 'bigint' || Number.isSafeInteger(id) ? BigInt(id) : -1n
  if (number >= 0n && number <= largestNumber) return number
  const hint = typeof id === 'number' && id > Number.MAX_SAFE_INTEGER ? '; above 2^53 - 1 give it as a bigint' : ''
  throw new TritonError(
    'INVALID_ARG',
    `correlation id ${id} is not a string or an exact integer from 0 to 2^64 - 1${hint}`,
  )
}
