import type { Http2Stream } from './http2-stream.ts'

/** What a client may take. */
export interface Http2Limits {
  readonly maxConcurrentStreams: number
  /** Bytes of names and values, with 32 for each pair. */
  readonly maxHeaderListSize: number
}

/** Hears of a connection. */
export interface ConnectionListener {
  /** The first frame has come. */
  open(): void
  /** A request, whose listener is to be set at once. @param headers names and values in turn. */
  stream(stream: Http2Stream, headers: string[]): void
  /** A part of a response was sent. */
  sent(): void
  /** The client asks whether the server is there, which is answered already. */
  ping(): void
  /** Something went wrong on this side; the connection ends. */
  fault(error: unknown): void
  close(): void
}
