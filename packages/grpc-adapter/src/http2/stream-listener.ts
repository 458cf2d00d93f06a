/** Hears of a stream what the client does. */
export interface StreamListener {
  /** A piece of the request, which is to be acknowledged by `consume`. */
  data(piece: Buffer): void
  /** The client has sent everything. */
  complete(): void
  /** There is room again for what is sent. */
  drain(): void
  /** Nothing comes or goes any more, for whatever reason. */
  close(): void
}

/** For a stream of which nobody wants to hear yet. */
export const silent: StreamListener = { data() {}, complete() {}, drain() {}, close() {} }
