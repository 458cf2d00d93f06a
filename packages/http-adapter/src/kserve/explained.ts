import type { Explanation } from '@triton-ts/core'
import type { WholeResponse } from '../universal.ts'

/** The answer, with a header that tells why the request ran when it did, where it was asked. */
export function explained(answer: WholeResponse, explanation: Explanation | undefined): WholeResponse {
  if (explanation === undefined) return answer
  const text = encodeURIComponent(String(explanation))
  return { ...answer, headers: [...answer.headers, 'Triton-Ts-Explanation', text] }
}
