import { frame, frameFlags, frameTypes } from './frame.ts'
import { Http2Error } from './http2-error.ts'
import type { Output } from './output.ts'
import { expectSize } from './payload.ts'

/** The pings of a connection, in both directions. Source: RFC 9113, section 6.7. */
export class Pings {
  readonly #output: Output
  readonly #onPing: () => void
  readonly #asked: (() => void)[] = []

  /** @param onPing called when the client asks, which is answered already. */
  constructor(output: Output, onPing: () => void) {
    this.#output = output
    this.#onPing = onPing
  }

  /** Asks the client whether it is there. */
  ask(answered: () => void): void {
    this.#asked.push(answered)
    this.#output.send(frame(frameTypes.PING, 0, 0, Buffer.alloc(8)))
  }

  /** @throws Http2Error for a frame that is no ping. */
  read(flags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw new Http2Error('PROTOCOL_ERROR', 'a ping of a stream')
    expectSize(payload, 8)
    if ((flags & frameFlags.ACK) !== 0) {
      this.#asked.shift()?.()
      return
    }
    this.#output.send(frame(frameTypes.PING, frameFlags.ACK, 0, payload))
    this.#onPing()
  }
}
