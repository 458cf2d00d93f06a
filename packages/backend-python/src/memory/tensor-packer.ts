import type { Tensor } from '@triton-ts/core'
import { encodeFrame, padded } from '../wire/frame.ts'
import type { WriteRegion } from './write-region.ts'

/** Tensors of one frame that lie in the frame itself, altogether; a copy more is cheaper than a block. */
const inlineLimit = 64 << 10

/** Places the tensors of one frame: small ones in the frame, others in shared memory as long as there is space. */
export class TensorPacker {
  readonly #region: WriteRegion | undefined
  readonly #blobs: Uint8Array[] = []
  #blobSize = 0
  #writing: Promise<void>[] | undefined

  /** @param region undefined: everything lies in the frame. */
  constructor(region: WriteRegion | undefined) {
    this.#region = region
  }

  /** @returns its JSON. */
  add(name: string, tensor: Tensor): string {
    const { bytes } = tensor
    const size = bytes.byteLength
    const head = `[${JSON.stringify(name)},"${tensor.datatype}",[${tensor.shape.join(',')}],`
    const block = this.#blobSize + size > inlineLimit ? this.#region?.allocate(size) : undefined
    if (block !== undefined) {
      const writing = this.#region?.write(bytes, block)
      if (writing !== undefined) this.#wait(writing)
      return `${head}1,${block},${size}]`
    }
    const offset = this.#blobSize
    this.#blobs.push(bytes)
    this.#blobSize += padded(size)
    return `${head}0,${offset},${size}]`
  }

  /** Undefined when every tensor is in its place. */
  get written(): Promise<unknown> | undefined {
    return this.#writing && Promise.all(this.#writing)
  }

  frame(header: string): Buffer {
    return encodeFrame(header, this.#blobs, this.#blobSize)
  }

  #wait(writing: Promise<void>): void {
    this.#writing ??= []
    this.#writing.push(writing)
  }
}
