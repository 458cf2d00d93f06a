import type { Readable } from 'node:stream'

/** One object below a prefix. */
export interface StoredObject {
  /** Relative to the root of the store. */
  readonly key: string
  /** In bytes. */
  readonly size: number
  /** Changes whenever the content does. */
  readonly etag: string
  /** Of the content, in hex, where the service tells it. */
  readonly md5?: string | undefined
}

/**
 * A prefix of a bucket, as one cloud's SDK gives it.
 *
 * No method tries again: that is `CloudSource`'s. Errors are `StoreError`s.
 */
export interface ObjectStore {
  /** All objects whose key begins with `prefix`. A flat listing, paged. */
  list(prefix: string, signal: AbortSignal): Promise<StoredObject[]>
  /** Names of the "directories" directly below the root. `missing` when there is nothing at all below a prefix. */
  directories(signal: AbortSignal): Promise<string[]>
  /** The content of an object. `missing` when it is not, or no longer, the one with this etag. */
  read(object: StoredObject, signal: AbortSignal): Promise<Readable>
  dispose(): void | Promise<void>
}

/**
 * - `missing`: there is no such bucket or object.
 * - `denied`: the credentials are wrong, or do not allow it.
 * - `busy`: worth another try (5xx, 429, time-outs, broken connections).
 * - `failed`: anything else.
 */
export type StoreErrorKind = 'missing' | 'denied' | 'busy' | 'failed'

/** What a store fails with. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly kind: StoreErrorKind

  constructor(kind: StoreErrorKind, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.kind = kind
  }
}
