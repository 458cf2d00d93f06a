import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect } from 'vitest'
import type { ObjectStore, StoredObject } from '../object-store.ts'
import { type OpenStoreOptions, openStore } from '../open-store.ts'
import type { CloudServer, ServerKind } from './cloud-server.ts'

/** One that nobody aborts. */
export const { signal } = new AbortController()

/** A server of a kind for the tests of one `describe`, and stores of it, which go with it. */
export interface StoreRig {
  readonly kind: ServerKind
  /** Once the tests have begun. */
  server(): CloudServer
  /** @param at the server itself unless it is said. */
  open(bucket: string, prefix?: string, options?: OpenStoreOptions, at?: Place): Promise<ObjectStore>
  read(store: ObjectStore, object: StoredObject): Promise<Buffer>
  /** The one object that there is. */
  only(store: ObjectStore, prefix: string): Promise<StoredObject>
}

type Place = Pick<CloudServer, 'path' | 'environment'>

export function storeRig(kind: ServerKind): StoreRig {
  const opened: ObjectStore[] = []
  let server: CloudServer
  beforeAll(async () => {
    server = await kind.start()
  })
  afterAll(async () => {
    for (const store of opened) await store.dispose()
    await server.stop()
  })
  return {
    kind,
    server: () => server,
    open: async (bucket, prefix = '', options = {}, at = server) => {
      const store = await openStore(at.path(bucket, prefix), { environment: at.environment, ...options })
      opened.push(store)
      return store
    },
    read: async (store, object) => buffer(await store.read(object, signal)),
    only: async (store, prefix) => {
      const [object, ...others] = await store.list(prefix, signal)
      expect(others).toEqual([])
      expect(object).toBeDefined()
      return object as StoredObject
    },
  }
}
