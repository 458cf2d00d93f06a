// For applications that carry the calls with a gRPC library of their own.
export { createMethods } from './create-methods.ts'
export { type ServeGrpcOptions, serveGrpc } from './serve-grpc.ts'
export type { ServiceOptions } from './service-options.ts'
export { GrpcService } from './transport/grpc-service.ts'
export type { CompressionLevel } from './transport/message-encoding.ts'
export { Metadata } from './transport/metadata.ts'
export type {
  Call,
  MessageParts,
  Method,
  Methods,
  StreamCall,
  StreamMethod,
  UnaryMethod,
} from './transport/method.ts'
export type { TransportOptions } from './transport/transport-options.ts'
