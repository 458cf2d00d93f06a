import type { Readable } from 'node:stream'
import { type ObjectStore, type StoredObject, StoreError } from './object-store.ts'

/**
 * A store whose credentials may come late or change: when access is denied, they are looked for again and what was asked
 * is asked once more. So a key can be replaced while the server runs, and a machine that did not tell who it is when it
 * started is asked again.
 */
export class RenewedStore implements ObjectStore {
  readonly #open: () => Promise<ObjectStore>
  #store: Promise<ObjectStore>

  /** @param open opens a store with the credentials of now. */
  constructor(store: ObjectStore, open: () => Promise<ObjectStore>) {
    this.#store = Promise.resolve(store)
    this.#open = open
  }

  list(prefix: string, signal: AbortSignal): Promise<StoredObject[]> {
    return this.#ask((store) => store.list(prefix, signal))
  }

  directories(signal: AbortSignal): Promise<string[]> {
    return this.#ask((store) => store.directories(signal))
  }

  read(object: StoredObject, signal: AbortSignal): Promise<Readable> {
    return this.#ask((store) => store.read(object, signal))
  }

  async dispose(): Promise<void> {
    await (await this.#store).dispose()
  }

  async #ask<T>(question: (store: ObjectStore) => Promise<T>): Promise<T> {
    const current = this.#store
    const store = await current
    try {
      return await question(store)
    } catch (error) {
      if (!(error instanceof StoreError && error.kind === 'denied')) throw error
      // Of several that are denied at once, one looks for credentials.
      if (this.#store === current) this.#store = this.#renewed(store)
      return question(await this.#store)
    }
  }

  /** The old store stays when none can be opened now. What is under way with one that goes breaks off as `busy`. */
  async #renewed(old: ObjectStore): Promise<ObjectStore> {
    const renewed = await this.#open().catch(() => undefined)
    if (renewed === undefined) return old
    await old.dispose()
    return renewed
  }
}
