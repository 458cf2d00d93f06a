import type { DataSender } from './data-sender.ts'
import { frameFlags, frameTypes, numberFrame } from './frame.ts'
import { sendHeaders } from './header-frames.ts'
import { errorCodes, type Http2ErrorCode } from './http2-error.ts'
import type { Output } from './output.ts'
import { ReceiveWindow } from './receive-window.ts'
import { SendQueue } from './send-queue.ts'
import { type StreamListener, silent } from './stream-listener.ts'
import { maxWindow } from './window.ts'

/** What a stream begins with. Sizes in bytes. */
export interface StreamStart {
  readonly receiveWindow: number
  readonly sendWindow: number
  /** What the request says that it has; undefined where it says nothing. */
  readonly contentLength: number | undefined
}

/** Bytes that wait in a stream above which there is no room. */
const highWater = 64 * 1024

/** A request and its response. Source: RFC 9113, section 5. */
export class Http2Stream {
  readonly id: number
  listener: StreamListener = silent
  /** The client has sent everything. */
  isComplete = false
  /** Nothing comes or goes any more. */
  isClosed = false
  /** This side gave it up. */
  wasReset = false
  readonly #receiveWindow: ReceiveWindow
  #sendWindow: number
  /** Bytes of the request that are still to come, where it says so. */
  #missing: number | undefined
  readonly #output: Output
  readonly #sender: DataSender
  readonly #onClose: (stream: Http2Stream) => void
  readonly #queue: SendQueue
  #trailers: Uint8Array | undefined

  /** @param onClose called once when nothing comes or goes any more. */
  constructor(
    id: number,
    { receiveWindow, sendWindow, contentLength }: StreamStart,
    output: Output,
    sender: DataSender,
    onClose: (stream: Http2Stream) => void,
  ) {
    this.id = id
    this.#receiveWindow = new ReceiveWindow(receiveWindow)
    this.#sendWindow = sendWindow
    this.#missing = contentLength
    this.#output = output
    this.#sender = sender
    this.#onClose = onClose
    this.#queue = new SendQueue(id)
  }

  /** Whether what is sent piles up. */
  get isFull(): boolean {
    return this.#queue.size >= highWater
  }

  /** Whether there is something that the client takes of this stream. */
  get canSend(): boolean {
    return this.#queue.size > 0 && this.#sendWindow > 0
  }

  /** Sends the headers of the response. */
  respond(block: Uint8Array): void {
    if (!this.isClosed) sendHeaders(this.#output, this.id, block, 0, this.#sender.maxFrameSize)
  }

  /** Sends a piece of the response, which must not change any more. */
  write(piece: Uint8Array): void {
    if (this.isClosed || piece.byteLength === 0) return
    const isFirst = this.#queue.size === 0
    this.#queue.push(piece)
    if (isFirst) this.#sender.add(this)
  }

  /** Ends the response with trailers, which are its headers where there were none. What the client still sends is not wanted. */
  end(block: Uint8Array): void {
    if (this.isClosed) return
    this.#trailers = block
    if (this.#queue.size === 0) this.#finish(block)
  }

  /** Gives the stream up. Source: RFC 9113, section 5.4.2. */
  reset(code: Http2ErrorCode): void {
    if (this.isClosed) return
    this.wasReset = true
    this.#output.send(numberFrame(frameTypes.RST_STREAM, this.id, errorCodes[code]))
    this.close()
  }

  /** A frame of so many bytes comes. @returns false where they are more than the client may send. */
  receive(bytes: number): boolean {
    return this.#receiveWindow.receive(bytes)
  }

  /** A piece of the request has come. */
  data(piece: Buffer): void {
    if (this.#missing !== undefined) {
      this.#missing -= piece.byteLength
      if (this.#missing < 0) {
        this.reset('PROTOCOL_ERROR')
        return
      }
    }
    this.listener.data(piece)
  }

  /** Bytes of the request were taken, so that the client may send as many again. */
  consume(bytes: number): void {
    if (this.isComplete || this.isClosed) return
    const announced = this.#receiveWindow.consume(bytes)
    if (announced > 0) this.#output.send(numberFrame(frameTypes.WINDOW_UPDATE, this.id, announced))
  }

  /** The client has sent everything. Source of the length: RFC 9113, section 8.1.1. */
  complete(): void {
    this.isComplete = true
    if (this.#missing) this.reset('PROTOCOL_ERROR')
    else this.listener.complete()
  }

  /** The client takes more, or less. @returns false where that is more than a window can be. */
  moveSendWindow(change: number): boolean {
    this.#sendWindow += change
    if (this.#sendWindow > maxWindow) return false
    if (this.canSend) this.#sender.add(this)
    return true
  }

  /** Sends at most `most` bytes of what waits. @returns how many. */
  sendData(most: number, maxFrameSize: number): number {
    let sent = 0
    while (sent < most && this.canSend) {
      const length = Math.min(this.#queue.size, most - sent, maxFrameSize, this.#sendWindow)
      this.#queue.sendFrame(length, this.#output)
      this.#sendWindow -= length
      sent += length
    }
    if (this.#queue.size === 0 && this.#trailers !== undefined) this.#finish(this.#trailers)
    else if (sent > 0 && !this.isFull) this.listener.drain()
    return sent
  }

  /** Ends without a word to the client, who has ended it or is gone. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#queue.clear()
    this.#sender.delete(this)
    this.#onClose(this)
    this.listener.close()
  }

  #finish(trailers: Uint8Array): void {
    sendHeaders(this.#output, this.id, trailers, frameFlags.END_STREAM, this.#sender.maxFrameSize)
    // A whole response may come before the end of its request. Source: RFC 9113, section 8.1.
    if (this.isComplete) this.close()
    else this.reset('NO_ERROR')
  }
}
