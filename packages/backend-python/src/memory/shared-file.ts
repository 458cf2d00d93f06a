import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, ftruncateSync, openSync, read, readSync, unlinkSync, write, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { FileMapping } from '@triton-ts/backend-native'

/** Copies above this are made beside the event loop. */
const longCopy = 1 << 20

/** Memory that two processes share by its descriptor; it has no name and is gone when both have closed it. */
export class SharedFile {
  readonly descriptor: number
  readonly #mapping: FileMapping | undefined
  /** As much of it as there was when it was mapped. */
  #mapped: ArrayBuffer | undefined
  #copying = 0
  #isClosing = false

  private constructor(descriptor: number, mapping: FileMapping | undefined) {
    this.descriptor = descriptor
    this.#mapping = mapping
  }

  /**
   * @param mapping default: every copy is a call of the system.
   * @returns undefined where the machine has no such directory, or does not let one use it.
   */
  static open(directory: string, mapping?: FileMapping | undefined): SharedFile | undefined {
    const path = join(directory, `triton-ts-${randomUUID()}`)
    let descriptor: number
    try {
      descriptor = openSync(path, 'wx+', 0o600)
    } catch {
      return undefined
    }
    unlinkSync(path)
    return new SharedFile(descriptor, mapping)
  }

  /** @returns a promise for a long copy. @throws Error of the system, also as a rejection. */
  write(bytes: Uint8Array, offset: number): Promise<void> | undefined {
    this.#expectOpen()
    if (bytes.byteLength > longCopy) return this.#long(write, bytes, offset)
    const memory = this.#memory(offset, bytes.byteLength)
    if (memory !== undefined) memory.set(bytes)
    else writeSync(this.descriptor, bytes, 0, bytes.byteLength, offset)
    return undefined
  }

  /** Fills `bytes`. @returns a promise for a long copy. @throws RangeError when the file ends before. */
  read(bytes: Uint8Array, offset: number): Promise<void> | undefined {
    this.#expectOpen()
    if (bytes.byteLength > longCopy) return this.#long(read, bytes, offset)
    if (bytes.byteLength === 0) return undefined
    const memory = this.#memory(offset, bytes.byteLength)
    if (memory !== undefined) bytes.set(memory)
    else if (readSync(this.descriptor, bytes, 0, bytes.byteLength, offset) < bytes.byteLength) {
      throw beyondEnd(offset, bytes)
    }
    return undefined
  }

  /** A part of it as memory; undefined where it cannot be mapped, or ends before. */
  #memory(offset: number, length: number): Uint8Array | undefined {
    if (this.#mapping === undefined || length === 0) return undefined
    const end = offset + length
    if (this.#mapped === undefined || this.#mapped.byteLength < end) {
      const { size } = fstatSync(this.descriptor)
      if (size < end) return undefined
      this.#unmap()
      this.#mapped = this.#mapping.map(this.descriptor, size)
    }
    return new Uint8Array(this.#mapped, offset, length)
  }

  #unmap(): void {
    if (this.#mapped !== undefined) this.#mapping?.unmap(this.#mapped)
    this.#mapped = undefined
  }

  /**
   * Takes the memory for more bytes at once, so that no later write to them can fail.
   * @returns whether there was as much.
   */
  extend(size: number, bytes: number): boolean {
    this.#expectOpen()
    try {
      for (let done = 0; done < bytes; ) {
        const length = Math.min(zeros.byteLength, bytes - done)
        done += writeSync(this.descriptor, zeros, 0, length, size + done)
      }
      return true
    } catch {
      ftruncateSync(this.descriptor, size)
      return false
    }
  }

  /** Long copies end before; the number of a closed descriptor may be another file's. */
  close(): void {
    this.#isClosing = true
    this.#unmap()
    if (this.#copying === 0) closeSync(this.descriptor)
  }

  #expectOpen(): void {
    if (this.#isClosing) throw new Error('the process that the memory is shared with is gone')
  }

  async #long(copy: Copy, bytes: Uint8Array, offset: number): Promise<void> {
    this.#copying++
    try {
      for (let done = 0; done < bytes.byteLength; ) done += await this.#part(copy, bytes, done, offset + done)
    } finally {
      this.#copying--
      if (this.#isClosing) this.close()
    }
  }

  #part(copy: Copy, bytes: Uint8Array, done: number, offset: number): Promise<number> {
    return new Promise((resolve, reject) => {
      copy(this.descriptor, bytes, done, bytes.byteLength - done, offset, (error, count) => {
        if (error !== null) reject(error)
        else if (count === 0) reject(beyondEnd(offset, bytes))
        else resolve(count)
      })
    })
  }
}

/** `read` or `write` at a position. */
type Copy = (
  descriptor: number,
  bytes: Uint8Array,
  offset: number,
  length: number,
  position: number,
  done: (error: NodeJS.ErrnoException | null, count: number) => void,
) => void

const zeros = new Uint8Array(longCopy)

const beyondEnd = (offset: number, { byteLength }: Uint8Array): RangeError =>
  new RangeError(`the shared memory ends before ${offset} + ${byteLength}`)
