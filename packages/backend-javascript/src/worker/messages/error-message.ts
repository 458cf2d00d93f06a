import { type ErrorCode, TritonError } from '@triton-ts/core'

/** An error on its way to the other thread. */
export interface ErrorMessage {
  readonly code: ErrorCode
  readonly message: string
}

export function toErrorMessage(error: unknown): ErrorMessage {
  const { code, message } = TritonError.from(error)
  return { code, message }
}

export const fromErrorMessage = ({ code, message }: ErrorMessage): TritonError => new TritonError(code, message)
