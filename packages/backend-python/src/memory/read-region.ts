import type { SharedFile } from './shared-file.ts'

/** Blocks and bytes that are returned without waiting for a frame that takes them along. */
const urgentBlocks = 32
const urgentBytes = 4 << 20

/** The shared memory that the child writes. */
export class ReadRegion {
  readonly #file: SharedFile
  #freed: number[] = []
  #freedBytes = 0

  constructor(file: SharedFile) {
    this.#file = file
  }

  /** The bytes of a block, copied; the block is to be given back then. A long copy is a promise. */
  read(offset: number, size: number): Uint8Array | Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafeSlow(size)
    const reading = this.#file.read(bytes, offset)
    if (reading === undefined) return this.#done(bytes, offset)
    return reading.then(() => this.#done(bytes, offset))
  }

  /** Whether so much is to be given back that it should not wait. */
  get isUrgent(): boolean {
    return this.#freed.length >= urgentBlocks || this.#freedBytes >= urgentBytes
  }

  /** What is to be given back, once. */
  takeFreed(): readonly number[] {
    const freed = this.#freed
    if (freed.length > 0) {
      this.#freed = []
      this.#freedBytes = 0
    }
    return freed
  }

  #done(bytes: Uint8Array, offset: number): Uint8Array {
    this.#freed.push(offset)
    this.#freedBytes += bytes.byteLength
    return bytes
  }
}
