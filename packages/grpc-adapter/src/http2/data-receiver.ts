import { frameFlags, frameTypes, numberFrame } from './frame.ts'
import { Http2Error } from './http2-error.ts'
import type { Http2Stream } from './http2-stream.ts'
import type { Output } from './output.ts'
import { ReceiveWindow } from './receive-window.ts'
import { connectionWindow, initialWindow } from './window.ts'

/** Takes the DATA of a connection to its streams. Source: RFC 9113, sections 5.2 and 6.1. */
export class DataReceiver {
  readonly #output: Output
  readonly #window = new ReceiveWindow(connectionWindow)
  /** The frame that is coming: its stream, if that still wants it, and what is left of it without padding. */
  #stream: Http2Stream | undefined
  #endsStream = false
  #length = 0
  #rest = 0

  constructor(output: Output) {
    this.#output = output
    output.send(numberFrame(frameTypes.WINDOW_UPDATE, 0, connectionWindow - initialWindow))
  }

  /**
   * A frame of `length` bytes begins.
   * @param stream undefined where nobody wants it.
   * @throws Http2Error for one that is more than the client may send.
   */
  begin(stream: Http2Stream | undefined, flags: number, length: number): void {
    if (stream?.isComplete) throw new Http2Error('STREAM_CLOSED', 'DATA after the end of a request')
    if (!this.#window.receive(length) || stream?.receive(length) === false) {
      throw new Http2Error('FLOW_CONTROL_ERROR', 'DATA beyond the window')
    }
    this.#stream = stream
    this.#endsStream = (flags & frameFlags.END_STREAM) !== 0
    this.#length = length
    this.#rest = (flags & frameFlags.PADDED) === 0 ? length : -1
    if (this.#rest < 0 && length === 0) throw new Http2Error('PROTOCOL_ERROR', 'padding beyond the frame')
    // What streams hold back is bounded by their own windows.
    const announced = this.#window.consume(length)
    if (announced > 0) this.#output.send(numberFrame(frameTypes.WINDOW_UPDATE, 0, announced))
  }

  /** A piece of that frame. @throws Http2Error for padding beyond the frame. */
  add(piece: Buffer, isLast: boolean): void {
    const content = this.#withoutPadding(piece)
    const stream = this.#stream
    if (stream === undefined || stream.isClosed) return
    if (content.byteLength > 0) stream.data(content)
    if (content.byteLength < piece.byteLength) stream.consume(piece.byteLength - content.byteLength)
    if (!isLast) return
    this.#stream = undefined
    if (this.#endsStream && !stream.isClosed) stream.complete()
  }

  #withoutPadding(piece: Buffer): Buffer {
    let content = piece
    if (this.#rest < 0) {
      this.#rest = this.#length - 1 - (piece[0] ?? 0)
      if (this.#rest < 0) throw new Http2Error('PROTOCOL_ERROR', 'padding beyond the frame')
      content = piece.subarray(1)
    }
    if (content.byteLength > this.#rest) content = content.subarray(0, this.#rest)
    this.#rest -= content.byteLength
    return content
  }
}
