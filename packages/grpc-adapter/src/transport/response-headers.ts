import { encodeHeaders } from '../http2/hpack/encode-headers.ts'
import { encodeGrpcMessage } from './grpc-message.ts'
import { type GrpcError, grpcStatus } from './grpc-status.ts'
import { acceptedEncodings, type MessageEncoding } from './message-encoding.ts'

const headersOf = (...more: string[]): string[] => [
  ...[':status', '200', 'content-type', 'application/grpc'],
  ...more,
  ...['grpc-accept-encoding', acceptedEncodings],
]

/** The headers of a response by the encoding of its messages. Source: grpc/doc/PROTOCOL-HTTP2.md, "Responses". */
export const responseHeaders: Readonly<Record<MessageEncoding, Uint8Array>> = {
  identity: encodeHeaders(headersOf()),
  deflate: encodeHeaders(headersOf('grpc-encoding', 'deflate')),
  gzip: encodeHeaders(headersOf('grpc-encoding', 'gzip')),
}

/** The trailers of a call that went well. */
export const okTrailers: Uint8Array = encodeHeaders(['grpc-status', '0'])

/** @param hasHeaders whether the headers of the response were sent; else they come along. */
export function errorTrailers({ status, message }: GrpcError, hasHeaders: boolean): Uint8Array {
  const trailers = ['grpc-status', String(grpcStatus[status]), 'grpc-message', encodeGrpcMessage(message)]
  return encodeHeaders(hasHeaders ? trailers : [...headersOf(), ...trailers])
}

/** The whole answer to what is no call of gRPC. @param status of HTTP. */
export function httpStatus(status: number): Uint8Array {
  return encodeHeaders([':status', String(status)])
}
