/** Triton's eight error codes (`TRITONSERVER_Error_Code`). HTTP and gRPC numbers live in the adapters. */
export const errorCodes = [
  'UNKNOWN',
  'INTERNAL',
  'NOT_FOUND',
  'INVALID_ARG',
  'UNAVAILABLE',
  'UNSUPPORTED',
  'ALREADY_EXISTS',
  'CANCELLED',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** How Triton spells a code inside a text, for instance in the reason of a failed load. */
const codeTexts: Record<ErrorCode, string> = {
  UNKNOWN: 'Unknown',
  INTERNAL: 'Internal',
  NOT_FOUND: 'Not found',
  INVALID_ARG: 'Invalid argument',
  UNAVAILABLE: 'Unavailable',
  UNSUPPORTED: 'Unsupported',
  ALREADY_EXISTS: 'Already exists',
  CANCELLED: 'Cancelled',
}

const brand = Symbol.for('triton-ts.error')

/**
 * The one error class of triton-ts: a code for programs, a message for people (Triton's own text where it has one),
 * and the `cause` it was made from. `instanceof` holds across two copies of this package.
 */
export class TritonError extends Error {
  override readonly name = 'TritonError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
    Object.defineProperty(this, brand, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }

  /** Turns anything thrown into a TritonError; what is one already stays as it is. */
  static from(value: unknown, code: ErrorCode = 'INTERNAL'): TritonError {
    if (value instanceof TritonError) return value
    return new TritonError(code, value instanceof Error ? value.message : String(value), { cause: value })
  }

  /** `Invalid argument: <message>`, the form in which Triton keeps the reason of a failed load. */
  get reason(): string {
    return `${codeTexts[this.code]}: ${this.message}`
  }
}

/**
 * The most exact text that an error has, from the innermost TritonError in its chain of causes: where Triton's text
 * only says that a configuration could not be read, this says why, with file and line.
 */
export function errorDetail(error: TritonError): string {
  let innermost = error
  while (innermost.cause instanceof TritonError) innermost = innermost.cause
  return innermost.message.trimEnd()
}
