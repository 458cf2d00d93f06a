import { TritonError } from '@triton-ts/core'
import type { RequestMessage } from './request-message.ts'

const reservedNames: ReadonlySet<string> = new Set([
  'sequence_id',
  'sequence_start',
  'sequence_end',
  'priority',
  'timeout',
  'headers',
  'binary_data_output',
])

/**
 * Makes request parameters of the headers that match; they win over parameters of the same name in the body.
 * @throws TritonError INVALID_ARG for a name that is the protocol's own.
 */
export function forwardHeaders(
  pattern: RegExp,
  headers: Iterable<readonly [name: string, value: string]>,
  message: RequestMessage,
): void {
  for (const [name, value] of headers) {
    if (!pattern.test(name)) continue
    expectForwardable(name)
    message.setParameter(name, value)
  }
}

function expectForwardable(name: string): void {
  if (!reservedNames.has(name) && !name.startsWith('triton_')) return
  throw new TritonError('INVALID_ARG', `Header '${name}' is reserved for Triton usage and cannot be forwarded.`)
}

/**
 * The pattern of the headers that become parameters, as Triton understands it: it matches anywhere in a name, without
 * regard to case where it is a text.
 * @throws TritonError INVALID_ARG for a text that is no regular expression.
 */
export function headerPattern(pattern: RegExp | string | undefined): RegExp | undefined {
  if (pattern === undefined || pattern === '') return undefined
  // A global or sticky expression would remember where it matched.
  if (typeof pattern !== 'string') return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))
  try {
    // Triton's own way to say that case does not matter is not part of JavaScript's expressions.
    return new RegExp(pattern.replace(/^(\(\?i\))+/, ''), 'i')
  } catch (error) {
    throw new TritonError('INVALID_ARG', `headerForwardPattern is not a regular expression: ${pattern}`, {
      cause: error,
    })
  }
}
