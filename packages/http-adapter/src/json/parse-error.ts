import { TritonError } from '@triton-ts/core'

/** What can be wrong with JSON text, in the words of RapidJSON, which Triton clients see. Source: rapidjson/error/en.h. */
const syntaxErrors = {
  empty: 'The document is empty.',
  notSingular: 'The document root must not be followed by other values.',
  value: 'Invalid value.',
  name: 'Missing a name for object member.',
  colon: 'Missing a colon after a name of object member.',
  objectEnd: "Missing a comma or '}' after an object member.",
  arrayEnd: "Missing a comma or ']' after an array element.",
  hex: 'Incorrect hex digit after \\u escape in string.',
  surrogate: 'The surrogate pair in string is invalid.',
  escape: 'Invalid escape character in string.',
  quote: 'Missing a closing quotation mark in string.',
  tooBig: 'Number too big to be stored in double.',
  fraction: 'Miss fraction part in number.',
  exponent: 'Miss exponent in number.',
} as const

export type SyntaxProblem = keyof typeof syntaxErrors

/** Triton reports every JSON problem as INTERNAL, which is HTTP 500. */
export function syntaxError(kind: SyntaxProblem, offset: number): TritonError {
  return new TritonError('INTERNAL', `failed to parse the request JSON buffer: ${syntaxErrors[kind]} at ${offset}`)
}

/** Arrays and objects inside each other that any document may have. */
export const maxNesting = 1000

export function nestingError(limit: number): TritonError {
  return new TritonError('INVALID_ARG', `JSON nesting depth exceeds maximum allowed limit (${limit})`)
}
