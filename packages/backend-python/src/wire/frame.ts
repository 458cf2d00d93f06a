const sizesLength = 8
const alignment = 8

/** Bytes of a frame's blob area, each blob at a multiple of 8. */
export const padded = (size: number): number => size + (-size & (alignment - 1))

/**
 * A frame as bytes.
 * @param blobs in the order of their places in the blob area.
 * @param blobSize of the blob area.
 */
export function encodeFrame(header: string, blobs: readonly Uint8Array[], blobSize: number): Buffer {
  const headerSize = Buffer.byteLength(header)
  const start = sizesLength + headerSize
  const blobStart = blobs.length === 0 ? start : padded(start)
  const frame = Buffer.allocUnsafe(blobStart + blobSize)
  frame.writeUInt32LE(frame.length - 4, 0)
  frame.writeUInt32LE(headerSize, 4)
  frame.write(header, sizesLength)
  let offset = blobStart
  for (const blob of blobs) {
    frame.set(blob, offset)
    offset += padded(blob.byteLength)
  }
  return frame
}

/** Takes frames out of the chunks that a socket delivers. */
export class FrameReader {
  readonly #take: (header: string, blobs: Buffer) => void
  /** A frame whose end has not come. */
  #partial: Buffer | undefined
  #filled = 0

  /** @param take gets each frame's header and its blob area, which it may keep. */
  constructor(take: (header: string, blobs: Buffer) => void) {
    this.#take = take
  }

  push(chunk: Buffer): void {
    let offset = this.#partial === undefined ? 0 : this.#fill(chunk)
    while (offset < chunk.length) {
      const end = chunk.length - offset < 4 ? Number.POSITIVE_INFINITY : offset + 4 + chunk.readUInt32LE(offset)
      if (end > chunk.length) {
        this.#begin(chunk, offset, end)
        return
      }
      this.#deliver(chunk.subarray(offset, end))
      offset = end
    }
  }

  /** Keeps the beginning of a frame. */
  #begin(chunk: Buffer, start: number, end: number): void {
    const size = Number.isFinite(end) ? end - start : 4
    this.#partial = Buffer.allocUnsafeSlow(size)
    this.#filled = chunk.copy(this.#partial, 0, start)
  }

  /** @returns how much of the chunk belonged to the partial frame. */
  #fill(chunk: Buffer): number {
    let used = 0
    for (;;) {
      const partial = this.#partial as Buffer
      const copied = chunk.copy(partial, this.#filled, used)
      used += copied
      this.#filled += copied
      if (this.#filled < partial.length) return used
      const size = 4 + partial.readUInt32LE(0)
      if (partial.length === size) break
      this.#partial = Buffer.allocUnsafeSlow(size)
      partial.copy(this.#partial)
    }
    const frame = this.#partial as Buffer
    this.#partial = undefined
    this.#filled = 0
    this.#deliver(frame)
    return used
  }

  #deliver(frame: Buffer): void {
    const headerEnd = sizesLength + frame.readUInt32LE(4)
    if (headerEnd > frame.length)
      throw new RangeError(`a frame of ${frame.length} bytes has a header that ends at ${headerEnd}`)
    const blobs = frame.length === headerEnd ? noBytes : frame.subarray(padded(headerEnd))
    this.#take(frame.toString('utf8', sizesLength, headerEnd), blobs)
  }
}

const noBytes = Buffer.alloc(0)
