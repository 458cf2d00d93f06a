import { frameHeadSize, frameTypes, writeFrameHead } from './frame.ts'
import type { Output } from './output.ts'

/** What a stream still has to send. */
export class SendQueue {
  readonly #stream: number
  #pieces: Uint8Array[] = []
  #size = 0

  constructor(stream: number) {
    this.#stream = stream
  }

  /** Bytes that wait. */
  get size(): number {
    return this.#size
  }

  /** Adds a piece that must not change any more. */
  push(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.#size += piece.byteLength
  }

  clear(): void {
    this.#pieces = []
    this.#size = 0
  }

  /** Sends the first `length` bytes as one DATA frame, without a copy. Source: RFC 9113, section 6.1. */
  sendFrame(length: number, output: Output): void {
    const head = Buffer.allocUnsafe(frameHeadSize)
    writeFrameHead(head, 0, length, frameTypes.DATA, 0, this.#stream)
    output.send(head)
    this.#size -= length
    for (let rest = length; rest > 0; ) {
      const piece = this.#pieces[0] as Uint8Array
      if (piece.byteLength <= rest) {
        this.#pieces.shift()
        output.send(piece)
        rest -= piece.byteLength
      } else {
        this.#pieces[0] = piece.subarray(rest)
        output.send(piece.subarray(0, rest))
        rest = 0
      }
    }
  }
}
