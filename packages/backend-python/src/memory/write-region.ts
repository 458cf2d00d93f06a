import { BlockList } from './block-list.ts'
import type { SharedFile } from './shared-file.ts'

export interface RegionSizes {
  /** Bytes at the start. */
  readonly initial: number
  /** Bytes that it grows by, at least. */
  readonly growth: number
  /** Bytes that it may have. Default: as many as the file system. */
  readonly limit?: number | undefined
}

/** The shared memory that this process writes. */
export class WriteRegion {
  readonly #file: SharedFile
  readonly #sizes: RegionSizes
  readonly #list = new BlockList()

  constructor(file: SharedFile, sizes: RegionSizes) {
    this.#file = file
    this.#sizes = sizes
  }

  /** How many blocks the reader has not returned. */
  get blocks(): number {
    return this.#list.blocks
  }

  get size(): number {
    return this.#list.size
  }

  /** @returns the offset of a block, or undefined when there is no space. */
  allocate(size: number): number | undefined {
    const offset = this.#list.allocate(size)
    if (offset !== undefined) return offset
    return this.#grow(this.#list.missing(size)) ? this.#list.allocate(size) : undefined
  }

  free(offset: number): void {
    this.#list.free(offset)
  }

  /** @returns a promise for a long copy. */
  write(bytes: Uint8Array, offset: number): Promise<void> | undefined {
    return this.#file.write(bytes, offset)
  }

  #grow(missing: number): boolean {
    const { initial, growth, limit = Number.POSITIVE_INFINITY } = this.#sizes
    const { size } = this.#list
    const preferred = Math.max(missing, size === 0 ? initial : growth)
    const grown = [preferred, missing].find((bytes) => size + bytes <= limit && this.#file.extend(size, bytes))
    if (grown !== undefined) this.#list.grow(grown)
    return grown !== undefined
  }
}
