import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'

/** What a response cache is told when its Server starts. */
export interface CacheContext {
  readonly clock: Clock
  readonly logger: Logger
  /** Aborted when the start is given up. */
  readonly signal: AbortSignal
}

/**
 * Where a Server keeps responses, to answer requests that it has answered before: `cache: localCache({ size: 2 ** 20 })`.
 *
 * The Server owns the cache that it is given: it opens it before the first model is loaded, and disposes it after the
 * last request is answered. So one value serves one Server.
 *
 * A cache need not be quick or reliable. Where `lookup` and `insert` return their results at once, a hit costs no turn
 * of the event loop. Where they return promises, requests wait for lookups, but no response waits for an insert. What a
 * cache throws makes a miss and is logged; the request runs.
 */
export interface ResponseCache {
  /** What the log calls it. */
  readonly name: string
  /**
   * Whether others read and write the same entries, or entries outlive the Server. Then a key says model and version
   * alone; else it also says which load of them, so that a model that was loaded anew never answers with what its
   * predecessor computed. Default false.
   */
  readonly isShared?: boolean | undefined
  /** Milliseconds that a request waits for a lookup before it runs instead. Default 1000. */
  readonly lookupTimeout?: number | undefined
  /**
   * Called once, before anything else.
   * @throws TritonError when the cache cannot work; the Server does not start.
   */
  open?(context: CacheContext): Promise<void> | void
  /**
   * What was inserted under the key, or undefined. The Server may hand the bytes to callers, so they must be a copy, or
   * bytes that the cache does not use again.
   * @param key 43 characters of the URL-safe base64 alphabet.
   * @param options its signal is aborted when nobody waits for the answer any more.
   */
  lookup(key: string, options: LookupOptions): MaybePromise<Uint8Array | undefined>
  /**
   * Keeps an entry, for as long as the cache likes.
   * @param entry the bytes belong to the cache from now on.
   * @returns false when the key was there already and its entry stays; true or nothing when the entry is stored.
   * @throws TritonError when the entry cannot be stored.
   */
  insert(key: string, entry: Uint8Array, options: InsertOptions): MaybePromise<boolean | undefined>
  /** Gives everything back. Called once, after the last call of the others, but not before `open`. */
  dispose(): Promise<void> | void
}

export interface LookupOptions {
  /** Costs something only where it is read. */
  readonly signal: AbortSignal
}

export interface InsertOptions {
  /** Whether the entry takes the place of one that the key already has. */
  readonly replace: boolean
}

export type MaybePromise<T> = T | Promise<T>
