import { GrpcError } from '../transport/grpc-status.ts'

/** What a client hears whose message is none. Source: grpc++, `ServerInterface::PayloadAsyncRequest`. */
export const unparsable = (cause?: unknown): GrpcError =>
  new GrpcError('INTERNAL', 'Unable to parse request', cause === undefined ? {} : { cause })
