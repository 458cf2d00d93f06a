import { TritonError } from '@triton-ts/core'

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
 * Checks that a header may become a parameter of a request.
 * @throws TritonError INVALID_ARG for a name that is the protocol's own.
 */
export function expectForwardable(name: string): void {
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
