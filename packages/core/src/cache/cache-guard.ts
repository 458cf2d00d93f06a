import { inspect } from 'node:util'
import { TritonError } from '../errors.ts'
import type { Clock } from '../util/clock.ts'
import { withDeadline } from '../util/deadline.ts'
import type { Logger } from '../util/logger.ts'
import type { InsertOptions, LookupOptions, MaybePromise, ResponseCache } from './response-cache.ts'

/** Bytes of entries that may wait for a slow cache; beyond them entries are dropped. */
const mostPendingBytes = 64 * 2 ** 20

/** Milliseconds between two complaints about the same cache. */
const quietTime = 10_000

/** The cache of a Server, so wrapped that nothing which it does or fails to do reaches a request. */
export class CacheGuard {
  readonly isShared: boolean
  readonly lookupTimeout: number
  readonly #cache: ResponseCache
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #inserts = new Set<Promise<unknown>>()
  #pendingBytes = 0
  readonly #closing = new AbortController()
  #opening: Promise<void> | undefined
  #loudAt = Number.NEGATIVE_INFINITY
  #swallowed = 0

  constructor(cache: ResponseCache, clock: Clock, logger: Logger) {
    this.isShared = cache.isShared ?? false
    this.lookupTimeout = cache.lookupTimeout ?? 1000
    this.#cache = cache
    this.#clock = clock
    this.#logger = logger
  }

  /** @throws TritonError when the cache cannot work, or CANCELLED. */
  open(signal?: AbortSignal): Promise<void> {
    const ends = this.#closing.signal
    this.#opening = this.#open(signal === undefined ? ends : AbortSignal.any([signal, ends]))
    return this.#opening
  }

  async #open(signal: AbortSignal): Promise<void> {
    try {
      await this.#cache.open?.({ clock: this.#clock, logger: this.#logger, signal })
    } catch (cause) {
      if (signal.aborted) throw new TritonError('CANCELLED', 'the start was given up', { cause })
      throw TritonError.from(cause)
    }
  }

  /** A failure is nothing found. */
  lookup(key: string, options: LookupOptions): MaybePromise<Uint8Array | undefined> {
    try {
      const found = this.#cache.lookup(key, options)
      if (found === undefined || found instanceof Uint8Array) return found
      return Promise.resolve(found)
        .then(expectEntry)
        .catch((error: unknown) => {
          if (!options.signal.aborted) this.complain(`Failed to look up key [${key}] in response cache`, error)
          return undefined
        })
    } catch (error) {
      this.complain(`Failed to look up key [${key}] in response cache`, error)
      return undefined
    }
  }

  /** False when the key was there already; a failure is no reason to think so. */
  insert(key: string, entry: Uint8Array, options: InsertOptions): MaybePromise<boolean> {
    if (this.#pendingBytes + entry.byteLength > mostPendingBytes && this.#pendingBytes > 0) {
      this.#failedInsert(key, new Error('too many entries wait to be inserted'))
      return true
    }
    try {
      const stored = this.#cache.insert(key, entry, options)
      return typeof stored === 'object' ? this.#insertLater(key, entry.byteLength, stored) : stored !== false
    } catch (error) {
      this.#failedInsert(key, error)
      return true
    }
  }

  /** Logs that something is wrong with the cache: the first time, and then only now and then. */
  complain(text: string, error: unknown): void {
    const now = this.#clock.now()
    if (now - this.#loudAt < quietTime) {
      this.#swallowed++
      return
    }
    const more = this.#swallowed > 0 ? ` (and ${this.#swallowed} more failures since the last one logged)` : ''
    this.#logger.error(
      { cache: this.#cache.name, err: error },
      `${text}: ${error instanceof Error ? error.message : inspect(error)}${more}`,
    )
    this.#loudAt = now
    this.#swallowed = 0
  }

  /** Waits a moment for what is being inserted, then gives the cache back. */
  async dispose(): Promise<void> {
    this.#closing.abort()
    const isOpen = await this.#opening?.then(
      () => true,
      () => false,
    )
    if (!isOpen) return
    try {
      if (this.#inserts.size > 0) await withDeadline(Promise.all(this.#inserts), this.lookupTimeout, this.#clock)
      await this.#cache.dispose()
    } catch (error) {
      this.#logger.error({ cache: this.#cache.name, err: error }, 'failed to clean up the response cache')
    }
  }

  async #insertLater(key: string, size: number, storing: Promise<boolean | undefined>): Promise<boolean> {
    const settled = Promise.resolve(storing).then(
      (stored) => stored !== false,
      (error: unknown) => {
        this.#failedInsert(key, error)
        return true
      },
    )
    this.#pendingBytes += size
    this.#inserts.add(settled)
    const stored = await settled
    this.#pendingBytes -= size
    this.#inserts.delete(settled)
    return stored
  }

  #failedInsert(key: string, error: unknown): void {
    this.complain(`Failed to insert key [${key}] into response cache`, error)
  }
}

/** Caches that the compiler did not see may return anything; `null` is what many stores call nothing. */
function expectEntry(found: unknown): Uint8Array | undefined {
  if (found === undefined || found === null) return undefined
  if (found instanceof Uint8Array) return found
  throw new TypeError('what it found is no Uint8Array')
}
