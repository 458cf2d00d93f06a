import { TritonError } from '../../errors.ts'
import { abortable } from '../../util/abortable.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { Lazy } from './lazy.ts'
import { type ObjectStore, type StoredObject, StoreError } from './object-store.ts'
import { type ReceiveOptions, receive } from './receive.ts'
import { type Attempt, Retries } from './retries.ts'

export interface RetryingStoreOptions {
  readonly openStore: (path: string) => Promise<ObjectStore>
  readonly clock: Clock
  readonly logger: Logger
  readonly random: () => number
}

/**
 * Milliseconds without a byte after which a download hangs; and those that a whole listing may take, since it tells nothing
 * until it is over, and one of a million objects has a thousand pages.
 */
const patience = { read: 30_000, list: 60_000 }

/** A store that is opened at its first use, tried again while it is busy, and fails with `TritonError`s. */
export class RetryingStore {
  readonly path: string
  readonly #store: Lazy<ObjectStore>
  readonly #retries: Retries

  constructor(path: string, { openStore, clock, logger, random }: RetryingStoreOptions) {
    this.path = path
    this.#store = new Lazy(() => openStore(path))
    this.#retries = new Retries(clock, random, logger)
  }

  directories(signal?: AbortSignal): Promise<string[]> {
    return this.#list('list the models', (store, inner) => store.directories(inner), signal)
  }

  list(prefix: string, signal?: AbortSignal): Promise<StoredObject[]> {
    return this.#list(
      prefix === '' ? 'list all files' : `list '${prefix}'`,
      (store, inner) => store.list(prefix, inner),
      signal,
    )
  }

  /** Downloads an object and resolves with its SHA-256 in hex. Errors of the file are thrown as they are. */
  receive(object: StoredObject, options: ReceiveOptions, signal?: AbortSignal): Promise<string> {
    return this.#do(
      `read '${object.key}'`,
      'read',
      (attempt, store) => receive(store, object, attempt, options),
      signal,
    )
  }

  async dispose(): Promise<void> {
    const store = await this.#store.started?.catch(() => undefined)
    await store?.dispose()
  }

  async #list<T>(what: string, work: (store: ObjectStore, signal: AbortSignal) => Promise<T>, signal?: AbortSignal) {
    const patient = ({ signal }: Attempt, store: ObjectStore) => abortable(work(store, signal), signal)
    return this.#do(what, 'list', patient, signal)
  }

  async #do<T>(
    what: string,
    kind: keyof typeof patience,
    work: (attempt: Attempt, store: ObjectStore) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const place = `${what} in '${this.path}'`
    try {
      return await this.#retries.run(
        async (attempt) => work(attempt, await abortable(this.#store.get(), attempt.signal)),
        { what: place, patience: patience[kind], signal },
      )
    } catch (error) {
      if (!(error instanceof StoreError) || signal?.aborted) throw error
      // Triton's text.
      const isNoPlace = kind === 'list' && error.kind === 'missing'
      const text = isNoPlace ? `repository path is not a valid directory: '${this.path}'` : `failed to ${place}`
      const code = isNoPlace || error.kind === 'denied' || error.kind === 'failed' ? 'INTERNAL' : 'UNAVAILABLE'
      throw new TritonError(code, `${text}: ${error.message}`, { cause: error })
    }
  }
}
