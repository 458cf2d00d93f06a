import { frameFlags, frameTypes } from './frame.ts'
import { HpackDecoder } from './hpack/hpack-decoder.ts'
import { Http2Error } from './http2-error.ts'
import { expectDependency } from './payload.ts'

/** Frames that the headers of one request may come in. */
const maxFrames = 32

/** Headers as they were sent. */
export interface ReceivedHeaders {
  /** Names and values in turn; undefined where they are too large. */
  readonly headers: string[] | undefined
  /** Nothing follows them. */
  readonly endsStream: boolean
}

/** Puts the header blocks of a connection together. Source: RFC 9113, section 4.3. */
export class HeaderBlocks {
  readonly #decoder: HpackDecoder
  readonly #maxSize: number
  #stream = 0
  #endsStream = false
  #pieces: Buffer[] = []
  #size = 0

  /** @param maxSize bytes of names and values, with 32 for each pair. */
  constructor(maxSize: number) {
    this.#decoder = new HpackDecoder(maxSize)
    this.#maxSize = maxSize
  }

  /** @throws Http2Error for a frame of another kind, or of another stream, between those of one block. */
  expect(type: number, stream: number): void {
    const isContinuation = type === frameTypes.CONTINUATION
    if (this.#stream === 0 ? !isContinuation : isContinuation && this.#stream === stream) return
    throw new Http2Error('PROTOCOL_ERROR', 'a CONTINUATION that is missing, or of nothing')
  }

  /**
   * @returns undefined until the block is whole.
   * @throws Http2Error for a block that cannot be decoded, and one beyond all limits.
   */
  read(type: number, flags: number, stream: number, payload: Buffer): ReceivedHeaders | undefined {
    const piece = type === frameTypes.HEADERS ? this.#begin(flags, stream, payload) : payload
    const isWhole = (flags & frameFlags.END_HEADERS) !== 0
    if (isWhole && this.#pieces.length === 0) return this.#decode(piece)
    this.#stream = stream
    this.#pieces.push(piece)
    this.#size += piece.byteLength
    if (this.#size > this.#maxSize || this.#pieces.length > maxFrames) {
      throw new Http2Error('ENHANCE_YOUR_CALM', 'headers without end')
    }
    return isWhole ? this.#decode(Buffer.concat(this.#pieces)) : undefined
  }

  /** @returns the piece of the block. Source: RFC 9113, section 6.2. */
  #begin(flags: number, stream: number, payload: Buffer): Buffer {
    this.#endsStream = (flags & frameFlags.END_STREAM) !== 0
    const isPadded = (flags & frameFlags.PADDED) !== 0
    const hasPriority = (flags & frameFlags.PRIORITY) !== 0
    const priority = isPadded ? 1 : 0
    const begin = priority + (hasPriority ? 5 : 0)
    const end = payload.byteLength - (isPadded ? (payload[0] ?? 0) : 0)
    if (begin > end) throw new Http2Error('PROTOCOL_ERROR', 'padding beyond the frame')
    if (hasPriority) expectDependency(stream, payload.subarray(priority))
    return payload.subarray(begin, end)
  }

  #decode(block: Buffer): ReceivedHeaders {
    this.#stream = 0
    this.#pieces = []
    this.#size = 0
    return { headers: this.#decoder.decode(block), endsStream: this.#endsStream }
  }
}
