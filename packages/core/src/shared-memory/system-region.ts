import { close, closeSync, constants, fstatSync, openSync, read, readSync, write, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import type { MaybePromise } from '../cache/response-cache.ts'
import { TritonError } from '../errors.ts'
import { byteCount } from './byte-count.ts'
import type { Region } from './region.ts'
import type { SystemRegionOptions, SystemRegionStatus } from './region-status.ts'
import { cannotOpen } from './shared-memory-key.ts'

/** Bytes from which copying takes so long that the event loop should go on meanwhile. */
const largeCopy = 256 * 1024

/** Bytes that one call of the system copies at most. */
const callLimit = 2 ** 30

const readLater = promisify(read)
const writeLater = promisify(write)

/**
 * A region of POSIX shared memory. It is copied with calls of the system instead of mapped: a client that truncates it
 * would kill a process that has it mapped, and one that changes it would change inputs that are checked already.
 */
export class SystemRegion implements Region {
  readonly kind = 'system'
  readonly status: SystemRegionStatus
  readonly #descriptor: number

  private constructor(status: SystemRegionStatus, descriptor: number) {
    this.status = status
    this.#descriptor = descriptor
  }

  /**
   * @param file that of the key.
   * @throws TritonError INTERNAL and INVALID_ARG with Triton's texts.
   */
  static open(file: string, { name, key, offset = 0, byteSize }: SystemRegionOptions): SystemRegion {
    const descriptor = openFile(file, key)
    try {
      const stat = fstatSync(descriptor)
      if (!stat.isFile()) throw cannotOpen(key)
      const start = byteCount(offset)
      const size = byteCount(byteSize)
      if (start === undefined || size === undefined || size === 0 || size > stat.size - start) {
        throw new TritonError('INVALID_ARG', `failed to register shared memory region '${name}': invalid args`)
      }
      return new SystemRegion({ name, key, offset: start, byteSize: size }, descriptor)
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
  }

  read(offset: number, into: Uint8Array): MaybePromise<void> {
    const position = this.status.offset + offset
    if (into.byteLength >= largeCopy) return this.#readLater(position, into)
    for (let done = 0; done < into.byteLength; ) {
      const count = readSync(this.#descriptor, into, done, into.byteLength - done, position + done)
      if (count === 0) throw this.#truncated()
      done += count
    }
  }

  async #readLater(position: number, into: Uint8Array): Promise<void> {
    for (let done = 0; done < into.byteLength; ) {
      const length = Math.min(into.byteLength - done, callLimit)
      const { bytesRead } = await readLater(this.#descriptor, into, done, length, position + done)
      if (bytesRead === 0) throw this.#truncated()
      done += bytesRead
    }
  }

  write(offset: number, bytes: Uint8Array): MaybePromise<void> {
    const position = this.status.offset + offset
    if (bytes.byteLength >= largeCopy) return this.#writeLater(position, bytes)
    try {
      for (let done = 0; done < bytes.byteLength; ) {
        done += writeSync(this.#descriptor, bytes, done, bytes.byteLength - done, position + done)
      }
    } catch (error) {
      throw this.#unwritable(error)
    }
  }

  async #writeLater(position: number, bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.byteLength; ) {
        const length = Math.min(bytes.byteLength - done, callLimit)
        done += (await writeLater(this.#descriptor, bytes, done, length, position + done)).bytesWritten
      }
    } catch (error) {
      throw this.#unwritable(error)
    }
  }

  dispose(): void {
    // Nobody can do anything about a failure, and the descriptor is gone all the same.
    close(this.#descriptor, () => {})
  }

  #truncated(): TritonError {
    const { name, key } = this.status
    return new TritonError('INVALID_ARG', `shared memory region '${name}' ends early: '${key}' was made smaller`)
  }

  /** The file system of `/dev/shm` may be full: memory is taken when a page is first written to. */
  #unwritable(cause: unknown): TritonError {
    const text = `Unable to write to shared memory region: '${this.status.name}'`
    return new TritonError('UNAVAILABLE', text, { cause })
  }
}

/** Links are not followed, and what is no shared memory, such as a pipe, does not hold up. */
function openFile(file: string, key: string): number {
  try {
    return openSync(file, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    throw cannotOpen(key, error)
  }
}
