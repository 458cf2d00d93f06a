import { errorCodes, TritonError } from '@triton-ts/core'
import type { ErrorMessage } from './messages.ts'

export function toErrorMessage(error: unknown): ErrorMessage {
  const { code, message } = TritonError.from(error)
  return [errorCodes.indexOf(code), message]
}

export const fromErrorMessage = ([code, message]: ErrorMessage): TritonError =>
  new TritonError(errorCodes[code] ?? 'INTERNAL', message)
