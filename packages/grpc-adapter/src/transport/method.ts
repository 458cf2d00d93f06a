import type { Metadata } from './metadata.ts'

/** A call as the methods of a service see it. */
export interface Call {
  /** `/inference.GRPCInferenceService/ModelInfer`. */
  readonly path: string
  /** What the client sent along. */
  readonly metadata: Metadata
  /** Aborted when the client cancels, is gone, or its deadline has passed. */
  readonly signal: AbortSignal
  /**
   * Calls `cancel` when `signal` would be aborted, and at once where that has been, at a fraction of the cost of a signal.
   * It takes the place of one that was given before.
   */
  onCancel(cancel: () => void): void
  /** The address of the client, as node:net names it. */
  readonly peer: string
}

/** One message of protobuf, in pieces that are sent one after the other. */
export type MessageParts = readonly Uint8Array[]

/** A call with one request and one response. */
export interface UnaryMethod {
  readonly kind: 'unary'
  /**
   * @param request the whole message, which stays as it is for as long as anyone refers to it.
   * @throws TritonError or GrpcError, which becomes the status of the call.
   */
  handle(request: Uint8Array, call: Call): Promise<MessageParts> | MessageParts
}

/** A call with any number of messages in both directions. */
export interface StreamMethod {
  readonly kind: 'stream'
  /** Whether a call goes on for as long as the client wants: it ends when the endpoint closes. Default false. */
  readonly isEndless?: boolean
  /** The call ends with OK when it resolves. @throws as `UnaryMethod.handle`. */
  handle(call: StreamCall): Promise<void>
}

export interface StreamCall extends Call {
  /** The requests, until the client has said that no more come. A request is read when it is asked for. */
  readonly requests: AsyncIterableIterator<Uint8Array>
  /** Sends a response; without effect once the call has ended. */
  send(message: MessageParts): void
  /** Undefined while the client keeps up; else resolved when it has caught up, or when the call has ended. */
  room(): Promise<void> | undefined
}

export type Method = UnaryMethod | StreamMethod

/** The methods of all services by path. */
export type Methods = ReadonlyMap<string, Method>
