import type { DataSender } from './data-sender.ts'
import { frame, frameFlags, frameHeadSize, frameTypes, numberFrame, writeFrameHead } from './frame.ts'
import { errorCodes, type Http2ErrorCode } from './http2-error.ts'
import type { Output } from './output.ts'

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

const silent: StreamListener = { data() {}, complete() {}, drain() {}, close() {} }

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
  /** Bytes that the client may still send. */
  #receiveWindow: number
  #sendWindow: number
  readonly #output: Output
  readonly #sender: DataSender
  readonly #onClose: (stream: Http2Stream) => void
  readonly #windowSize: number
  /** Bytes of the request that were taken, of which the client does not know. */
  #consumed = 0
  #queue: Uint8Array[] = []
  #queued = 0
  #trailers: Uint8Array | undefined

  /** @param onClose called once when nothing comes or goes any more. */
  constructor(
    id: number,
    { receiveWindow, sendWindow }: { readonly receiveWindow: number; readonly sendWindow: number },
    output: Output,
    sender: DataSender,
    onClose: (stream: Http2Stream) => void,
  ) {
    this.id = id
    this.#receiveWindow = receiveWindow
    this.#windowSize = receiveWindow
    this.#sendWindow = sendWindow
    this.#output = output
    this.#sender = sender
    this.#onClose = onClose
  }

  /** Whether what is sent piles up. */
  get isFull(): boolean {
    return this.#queued >= highWater
  }

  /** Whether there is something that the client takes of this stream. */
  get canSend(): boolean {
    return this.#queued > 0 && this.#sendWindow > 0
  }

  /** Sends the headers of the response. */
  respond(block: Uint8Array): void {
    if (!this.isClosed) this.#sendHeaders(block, 0)
  }

  /** Sends a piece of the response, which must not change any more. */
  write(piece: Uint8Array): void {
    if (this.isClosed || piece.byteLength === 0) return
    this.#queue.push(piece)
    this.#queued += piece.byteLength
    if (this.#queue.length === 1) this.#sender.add(this)
  }

  /** Ends the response with trailers, which are its headers where there were none. What the client still sends is not wanted. */
  end(block: Uint8Array): void {
    if (this.isClosed) return
    this.#trailers = block
    if (this.#queued === 0) this.#finish()
  }

  /** Gives the stream up. */
  reset(code: Http2ErrorCode): void {
    if (this.isClosed) return
    this.#output.send(numberFrame(frameTypes.RST_STREAM, this.id, errorCodes[code]))
    this.close()
  }

  /** Bytes of the request come. @returns false where they are more than the client may send. */
  receive(bytes: number): boolean {
    this.#receiveWindow -= bytes
    return this.#receiveWindow >= 0
  }

  /** Bytes of the request were taken, so that the client may send as many again. */
  consume(bytes: number): void {
    this.#consumed += bytes
    if (this.isComplete || this.isClosed || this.#consumed < this.#windowSize / 2) return
    this.#output.send(numberFrame(frameTypes.WINDOW_UPDATE, this.id, this.#consumed))
    this.#receiveWindow += this.#consumed
    this.#consumed = 0
  }

  /** The client has sent everything. */
  complete(): void {
    this.isComplete = true
    this.listener.complete()
  }

  /** The client takes more, or less. @returns false where that is more than a window can be. */
  moveSendWindow(change: number): boolean {
    this.#sendWindow += change
    if (this.#sendWindow > 2 ** 31 - 1) return false
    if (this.canSend) this.#sender.add(this)
    return true
  }

  /** Sends at most `most` bytes of what waits. @returns how many. */
  sendData(most: number, maxFrameSize: number): number {
    let sent = 0
    while (sent < most && this.canSend) {
      const length = Math.min(this.#queued, most - sent, maxFrameSize, this.#sendWindow)
      this.#sendFrame(length)
      sent += length
    }
    if (this.#queued === 0 && this.#trailers !== undefined) this.#finish()
    else if (sent > 0 && !this.isFull) this.listener.drain()
    return sent
  }

  /** Ends without a word to the client, who has ended it or is gone. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#queue = []
    this.#queued = 0
    this.#sender.delete(this)
    this.#onClose(this)
    this.listener.close()
  }

  #sendFrame(length: number): void {
    const head = Buffer.allocUnsafe(frameHeadSize)
    writeFrameHead(head, 0, length, frameTypes.DATA, 0, this.id)
    this.#output.send(head)
    this.#queued -= length
    this.#sendWindow -= length
    for (let rest = length; rest > 0; ) {
      const piece = this.#queue[0] as Uint8Array
      const size = Math.min(rest, piece.byteLength)
      this.#output.send(size === piece.byteLength ? piece : piece.subarray(0, size))
      if (size === piece.byteLength) this.#queue.shift()
      else this.#queue[0] = piece.subarray(size)
      rest -= size
    }
  }

  #finish(): void {
    this.#sendHeaders(this.#trailers as Uint8Array, frameFlags.END_STREAM)
    // Source: RFC 9113, section 8.1.
    if (this.isComplete) this.close()
    else this.reset('NO_ERROR')
  }

  #sendHeaders(block: Uint8Array, flags: number): void {
    const { maxFrameSize } = this.#sender
    if (block.byteLength <= maxFrameSize) {
      this.#output.send(frame(frameTypes.HEADERS, flags | frameFlags.END_HEADERS, this.id, block))
      return
    }
    this.#output.send(frame(frameTypes.HEADERS, flags, this.id, block.subarray(0, maxFrameSize)))
    for (let at = maxFrameSize; at < block.byteLength; at += maxFrameSize) {
      const isLast = at + maxFrameSize >= block.byteLength
      const piece = block.subarray(at, at + maxFrameSize)
      this.#output.send(frame(frameTypes.CONTINUATION, isLast ? frameFlags.END_HEADERS : 0, this.id, piece))
    }
  }
}
