import { Http2Error } from './http2-error.ts'
import type { Http2Stream } from './http2-stream.ts'
import type { Output } from './output.ts'
import { initialWindow, maxWindow } from './window.ts'

/** Bytes that one stream sends until it is another's turn. */
const turnSize = 128 * 1024

/** Gives streams turns to send DATA, as far as the window of the connection and the socket allow. */
export class DataSender {
  /** Bytes that the client takes of all streams. */
  #window = initialWindow
  /** Bytes that it takes in one frame. */
  maxFrameSize = 16_384
  readonly #output: Output
  readonly #sent: () => void
  readonly #waiting = new Set<Http2Stream>()

  /** @param sent is told of each turn. */
  constructor(output: Output, sent: () => void) {
    this.#output = output
    this.#sent = sent
  }

  /** A stream has something to send, or more window for it. */
  add(stream: Http2Stream): void {
    this.#waiting.add(stream)
    this.run()
  }

  delete(stream: Http2Stream): void {
    this.#waiting.delete(stream)
  }

  /** The client takes more of all streams. @throws Http2Error FLOW_CONTROL_ERROR where that is more than a window can be. */
  widen(bytes: number): void {
    this.#window += bytes
    if (this.#window > maxWindow) throw new Http2Error('FLOW_CONTROL_ERROR', 'a window beyond its limit')
    this.run()
  }

  /** Gives turns, until all have sent what they may. */
  run(): void {
    while (this.#window > 0 && !this.#output.isFull) {
      const [stream] = this.#waiting
      if (stream === undefined) return
      this.#waiting.delete(stream)
      this.#window -= stream.sendData(Math.min(turnSize, this.#window), this.maxFrameSize)
      this.#sent()
      if (stream.canSend) this.#waiting.add(stream)
    }
  }
}
