import { type ErrorCode, TritonError } from '@triton-ts/core'

/** An error on its way to the other process: the TritonErrors of its chain of causes. */
export interface ErrorMessage {
  readonly code: ErrorCode
  readonly message: string
  readonly cause?: ErrorMessage | undefined
}

export function toErrorMessage(error: unknown): ErrorMessage {
  const { code, message, cause } = TritonError.from(error)
  return { code, message, ...(cause instanceof TritonError && { cause: toErrorMessage(cause) }) }
}

export function fromErrorMessage({ code, message, cause }: ErrorMessage): TritonError {
  return new TritonError(code, message, cause && { cause: fromErrorMessage(cause) })
}
