import type { Http2Stream } from './http2-stream.ts'
import type { Output } from './output.ts'

/** Bytes that one stream sends until it is another's turn. */
const turnSize = 128 * 1024

/** Gives streams turns to send DATA, as far as the window of the connection and the socket allow. */
export class DataSender {
  /** Bytes that the client takes of all streams. */
  window = 65_535
  /** Bytes that it takes in one frame. */
  maxFrameSize = 16_384
  readonly #output: Output
  readonly #waiting = new Set<Http2Stream>()

  constructor(output: Output) {
    this.#output = output
  }

  /** A stream has something to send, or more window for it. */
  add(stream: Http2Stream): void {
    this.#waiting.add(stream)
    this.run()
  }

  delete(stream: Http2Stream): void {
    this.#waiting.delete(stream)
  }

  /** Gives turns, until all have sent what they may. */
  run(): void {
    while (this.window > 0 && !this.#output.isFull) {
      const [stream] = this.#waiting
      if (stream === undefined) return
      this.#waiting.delete(stream)
      this.window -= stream.sendData(Math.min(turnSize, this.window), this.maxFrameSize)
      if (stream.canSend) this.#waiting.add(stream)
    }
  }
}
