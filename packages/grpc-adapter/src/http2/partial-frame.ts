import { frameHeadSize } from './frame.ts'

const nothing = Buffer.alloc(0)

/** A frame of which only the beginning has come. */
export class PartialFrame {
  #bytes = nothing
  #length = 0

  /** Bytes that have come. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** Takes what belongs to the head, or once that is whole to the payload. @returns how many bytes it took. */
  append(chunk: Buffer, at: number): number {
    const size = this.#length < frameHeadSize ? frameHeadSize : frameHeadSize + this.#bytes.readUIntBE(0, 3)
    const count = Math.min(size - this.#length, chunk.byteLength - at)
    this.#reserve(this.#length + count, size)
    chunk.copy(this.#bytes, this.#length, at, at + count)
    this.#length += count
    return count
  }

  /** Begins anew; whoever has the bytes keeps them. */
  clear(): void {
    this.#bytes = nothing
    this.#length = 0
  }

  /** Memory grows with what comes, not with the size that a client announces. */
  #reserve(length: number, size: number): void {
    if (length <= this.#bytes.byteLength) return
    const larger = Buffer.allocUnsafe(Math.min(size, Math.max(length, 2 * this.#bytes.byteLength)))
    this.bytes.copy(larger)
    this.#bytes = larger
  }
}
