import { frameHeadSize, frameTypes } from './frame.ts'
import { Http2Error } from './http2-error.ts'
import { PartialFrame } from './partial-frame.ts'

/** What a client sends before its first frame. Source: RFC 9113, section 3.4. */
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** Hears of frames as they come. */
export interface FrameListener {
  /** A frame of any type but DATA, whole. */
  frame(type: number, flags: number, stream: number, payload: Buffer): void
  /** The head of a DATA frame of `length` bytes. */
  data(flags: number, stream: number, length: number): void
  /** A piece of that frame's payload, and whether it is the last one. */
  dataPiece(piece: Buffer, isLast: boolean): void
}

/** Cuts what comes into frames. DATA is passed on as it comes, without a copy. */
export class FrameReader {
  readonly #listener: FrameListener
  readonly #maxFrameSize: number
  #prefaceLength = 0
  readonly #partial = new PartialFrame()
  /** Bytes that are missing of a DATA frame. */
  #missing = 0

  constructor(listener: FrameListener, maxFrameSize: number) {
    this.#listener = listener
    this.#maxFrameSize = maxFrameSize
  }

  /** @throws Http2Error for what is no frame, and what the listener throws. */
  read(chunk: Buffer): void {
    let bytes = chunk
    if (this.#prefaceLength < preface.byteLength) bytes = this.#readPreface(bytes)
    let at = 0
    while (at < bytes.byteLength) {
      if (this.#missing > 0) at = this.#readData(bytes, at)
      else if (this.#partial.isEmpty) at = this.#readFrame(bytes, at) ?? this.#keep(bytes, at)
      else at = this.#keep(bytes, at)
    }
  }

  /** Keeps the beginning of a frame, and reads that once it is whole. @returns where the rest begins. */
  #keep(bytes: Buffer, at: number): number {
    const partial = this.#partial
    const end = at + partial.append(bytes, at)
    if (this.#readFrame(partial.bytes, 0) !== undefined) partial.clear()
    return end
  }

  #readPreface(bytes: Buffer): Buffer {
    const expected = preface.subarray(this.#prefaceLength)
    const length = Math.min(expected.byteLength, bytes.byteLength)
    if (bytes.compare(expected, 0, length, 0, length) !== 0) throw new Http2Error('PROTOCOL_ERROR', 'no HTTP/2')
    this.#prefaceLength += length
    return bytes.subarray(length)
  }

  #readData(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.byteLength, at + this.#missing)
    this.#missing -= end - at
    this.#listener.dataPiece(bytes.subarray(at, end), this.#missing === 0)
    return end
  }

  /** @returns where the next frame begins, or the payload of DATA; undefined where this one is not whole. */
  #readFrame(bytes: Buffer, at: number): number | undefined {
    const begin = at + frameHeadSize
    if (begin > bytes.byteLength) return undefined
    const length = bytes.readUIntBE(at, 3)
    if (length > this.#maxFrameSize) throw new Http2Error('FRAME_SIZE_ERROR', `frame of ${length} bytes`)
    const type = bytes[at + 3] as number
    const flags = bytes[at + 4] as number
    const stream = bytes.readUInt32BE(at + 5) & 0x7fffffff
    if (type === frameTypes.DATA) {
      this.#missing = length
      this.#listener.data(flags, stream, length)
      if (length === 0) this.#listener.dataPiece(bytes.subarray(begin, begin), true)
      return begin
    }
    const end = begin + length
    if (end > bytes.byteLength) return undefined
    this.#listener.frame(type, flags, stream, bytes.subarray(begin, end))
    return end
  }
}
