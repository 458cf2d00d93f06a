import type { MaybePromise } from '../cache/response-cache.ts'
import { TritonError } from '../errors.ts'
import { byteCount } from './byte-count.ts'
import type { RegisteredRegion } from './registered-region.ts'

/** Most bytes that Triton can count. */
const maxCount = 2n ** 64n - 1n

/** Some bytes of a region, in use until it is released. */
export class RegionSlice {
  readonly byteSize: number
  readonly #registered: RegisteredRegion
  readonly #offset: number
  #isReleased = false

  /**
   * Bounds are checked in Triton's order. Source: server/src/shared_memory_manager.cc, GetMemoryInfo.
   * @throws TritonError INVALID_ARG for bytes outside of the region.
   */
  constructor(registered: RegisteredRegion, offset: number | bigint, byteSize: number | bigint) {
    const { name, byteSize: available } = registered.region.status
    const start = byteCount(offset)
    if (start === undefined || start >= available) {
      throw new TritonError('INVALID_ARG', `Invalid offset for shared memory region: '${name}'`)
    }
    if (typeof byteSize === 'bigint' && byteSize > maxCount - BigInt(start)) {
      throw new TritonError(
        'INVALID_ARG',
        `Integer overflow detected: byte_size (${byteSize}) + offset (${start}) exceeds maximum value (${maxCount}) for region '${name}'`,
      )
    }
    const size = byteCount(byteSize)
    if (size === undefined || size > available - start) {
      throw new TritonError('INVALID_ARG', `Invalid offset + byte size for shared memory region: '${name}'`)
    }
    registered.use()
    this.byteSize = size
    this.#registered = registered
    this.#offset = start
  }

  /** Fills `into`, which is not longer than the slice. @throws TritonError when the memory is no longer there. */
  read(into: Uint8Array): MaybePromise<void> {
    this.#expectUse()
    return this.#during(this.#registered.region.read(this.#offset, into))
  }

  /** Stores `bytes`, no more than the slice has. @throws TritonError when the memory is no longer there. */
  write(bytes: Uint8Array): MaybePromise<void> {
    this.#expectUse()
    return this.#during(this.#registered.region.write(this.#offset, bytes))
  }

  /** Later calls do nothing; what is being copied is finished, and then nothing more is. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#registered.release()
  }

  #expectUse(): void {
    if (this.#isReleased) throw new TritonError('CANCELLED', 'the request is over')
  }

  /** A descriptor that is closed while a copy runs may already be another file's. */
  #during(copy: MaybePromise<void>): MaybePromise<void> {
    if (copy === undefined) return
    this.#registered.use()
    return copy.finally(() => this.#registered.release())
  }
}
