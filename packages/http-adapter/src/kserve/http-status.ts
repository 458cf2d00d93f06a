import type { ErrorCode, TritonError } from '@triton-ts/core'
import { type ContentType, textResponse, type WholeResponse } from '../universal.ts'

/** Source: Triton, server/src/http_server.cc, HttpCodeFromError. */
export const httpStatus: Record<ErrorCode, number> = {
  UNKNOWN: 400,
  INTERNAL: 500,
  NOT_FOUND: 404,
  INVALID_ARG: 400,
  UNAVAILABLE: 503,
  UNSUPPORTED: 501,
  ALREADY_EXISTS: 400,
  CANCELLED: 400,
}

export function errorResponse(error: TritonError, contentType: ContentType): WholeResponse {
  return errorText(httpStatus[error.code], contentType, error.message)
}

export function errorText(status: number, contentType: ContentType, message: string): WholeResponse {
  return textResponse(status, contentType, `{"error":${JSON.stringify(message)}}`)
}
