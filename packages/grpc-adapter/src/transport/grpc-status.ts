import { type ErrorCode, TritonError } from '@triton-ts/core'

/** Numbers of gRPC's status codes. Source: grpc/doc/statuscodes.md. */
export const grpcStatus = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const

export type GrpcStatusName = keyof typeof grpcStatus

/** Source: Triton, server/src/grpc/grpc_utils.cc. */
const statusOfCode: Record<ErrorCode, GrpcStatusName> = {
  UNKNOWN: 'UNKNOWN',
  INTERNAL: 'INTERNAL',
  NOT_FOUND: 'NOT_FOUND',
  INVALID_ARG: 'INVALID_ARGUMENT',
  UNAVAILABLE: 'UNAVAILABLE',
  UNSUPPORTED: 'UNIMPLEMENTED',
  ALREADY_EXISTS: 'ALREADY_EXISTS',
  CANCELLED: 'CANCELLED',
}

/** An error with a status that Triton's codes do not have. */
export class GrpcError extends Error {
  readonly status: GrpcStatusName

  constructor(status: GrpcStatusName, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'GrpcError'
    this.status = status
  }

  /** What a client is told of an error. Of one that is neither Triton's nor gRPC's it hears nothing but that there was one. */
  static from(error: unknown): GrpcError {
    if (error instanceof GrpcError) return error
    if (!(error instanceof TritonError)) return new GrpcError('INTERNAL', 'internal error', { cause: error })
    return new GrpcError(statusOfCode[error.code], error.message, { cause: error })
  }
}
