import type { Http2Stream } from '../http2/http2-stream.ts'
import { compress, type MessageEncoding } from './message-encoding.ts'
import { messageSize } from './message-size.ts'
import type { MessageParts } from './method.ts'

/** A message up to this is copied behind its prefix: that costs less than writing in pieces. */
const copiedSize = 16 * 1024

/** A message below this gains nothing by compression. */
const compressedSize = 1024

const prefixSize = 5

/** Writes messages to the stream of a call, each behind its prefix, compressed where that is wanted. */
export class MessageWriter {
  readonly #stream: Http2Stream
  readonly #encoding: MessageEncoding
  #pending: Promise<void> | undefined

  constructor(stream: Http2Stream, encoding: MessageEncoding) {
    this.#stream = stream
    this.#encoding = encoding
  }

  /** Resolved when everything so far is compressed and written; undefined when it is. */
  get pending(): Promise<void> | undefined {
    return this.#pending
  }

  /** @throws TritonError INVALID_ARG for a message that is too large. */
  write(parts: MessageParts): void {
    const size = messageSize(parts)
    const encoding = size < compressedSize ? 'identity' : this.#encoding
    if (encoding === 'identity' && this.#pending === undefined) {
      this.#write(parts, size, 0)
      return
    }
    const pending = (this.#pending ?? Promise.resolve())
      .then(() => this.#writeCompressed(encoding, parts, size))
      .then(() => {
        if (this.#pending === pending) this.#pending = undefined
      })
    this.#pending = pending
  }

  /** A message that compression makes no smaller is sent as it is. */
  async #writeCompressed(encoding: MessageEncoding, parts: MessageParts, size: number): Promise<void> {
    const [first] = parts
    const whole = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts)
    const compressed = encoding === 'identity' ? undefined : await compress(encoding, whole)
    if (compressed === undefined || compressed.byteLength >= size) this.#write([whole], size, 0)
    else this.#write([compressed], compressed.byteLength, 1)
  }

  #write(parts: MessageParts, size: number, flag: number): void {
    const stream = this.#stream
    const isCopied = size <= copiedSize
    const head = Buffer.allocUnsafe(prefixSize + (isCopied ? size : 0))
    head[0] = flag
    head.writeUInt32BE(size, 1)
    if (isCopied) {
      let at = prefixSize
      for (const part of parts) {
        head.set(part, at)
        at += part.byteLength
      }
      stream.write(head)
      return
    }
    stream.write(head)
    for (const part of parts) stream.write(part)
  }
}
