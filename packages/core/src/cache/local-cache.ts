import { totalmem } from 'node:os'
import { TritonError } from '../errors.ts'
import { type Linked, LinkedList } from '../util/linked-list.ts'
import type { InsertOptions, ResponseCache } from './response-cache.ts'

export interface LocalCacheOptions {
  /**
   * Bytes for all models together. An entry counts as its outputs and some 200 bytes more. What JavaScript needs for
   * each object comes on top: many tiny entries take two to three times the size.
   */
  readonly size: number
}

/** For the key of an entry and its place. */
const entryOverhead = 128

/**
 * Keeps responses in this process. When a new one does not fit, those go first that were not asked for the longest.
 * @throws TritonError INTERNAL for a size that holds no entry, or that is beyond the machine's memory; INVALID_ARG for
 * one that is no number of bytes.
 */
export function localCache({ size }: LocalCacheOptions): ResponseCache {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new TritonError('INVALID_ARG', "Failed to initialize LocalCache: config didn't contain a valid 'size' field.")
  }
  if (size <= entryOverhead) {
    throw new TritonError('INTERNAL', `Failed to initialize LocalCache: ${size} bytes are too few for any response`)
  }
  if (size > totalmem()) throw new TritonError('INTERNAL', 'Failed to initialize LocalCache: failed to allocate buffer')
  return new LocalCache(size)
}

class StoredEntry implements Linked<StoredEntry> {
  readonly key: string
  readonly bytes: Uint8Array
  list: LinkedList<StoredEntry> | undefined
  previous: StoredEntry | undefined
  next: StoredEntry | undefined

  constructor(key: string, bytes: Uint8Array) {
    this.key = key
    this.bytes = bytes
  }

  get size(): number {
    return this.bytes.byteLength + entryOverhead
  }
}

/** Least recently used first. A `Map` alone would keep that order too, but finding its first item walks over deleted ones. */
class LocalCache implements ResponseCache {
  readonly name = 'local'
  readonly #size: number
  readonly #entries = new Map<string, StoredEntry>()
  readonly #byUse = new LinkedList<StoredEntry>()
  #used = 0

  constructor(size: number) {
    this.#size = size
  }

  lookup(key: string): Uint8Array | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#byUse.remove(entry)
    this.#byUse.push(entry)
    return new Uint8Array(entry.bytes)
  }

  insert(key: string, bytes: Uint8Array, { replace }: InsertOptions): boolean {
    const before = this.#entries.get(key)
    if (before !== undefined && !replace) return false
    const entry = new StoredEntry(key, bytes)
    if (entry.size > this.#size) {
      throw new TritonError(
        'INTERNAL',
        `Requested byte_size: ${entry.size} is greater than total cache size: ${this.#size}`,
      )
    }
    if (before !== undefined) this.#remove(before)
    while (this.#used + entry.size > this.#size) this.#remove(this.#byUse.first as StoredEntry)
    this.#entries.set(key, entry)
    this.#byUse.push(entry)
    this.#used += entry.size
    return true
  }

  dispose(): void {
    while (this.#byUse.first !== undefined) this.#remove(this.#byUse.first)
  }

  #remove(entry: StoredEntry): void {
    this.#entries.delete(entry.key)
    this.#byUse.remove(entry)
    this.#used -= entry.size
  }
}
