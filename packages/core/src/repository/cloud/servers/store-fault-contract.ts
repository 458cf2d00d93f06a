import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ObjectStore, type StoredObject, StoreError } from '../object-store.ts'
import { FaultyProxy } from './faulty-proxy.ts'
import { type StoreRig, signal } from './store-rig.ts'

/** What every store does when the way to its server is bad. */
export function storeFaultContract(rig: StoreRig): void {
  const { open, read, only } = rig
  describe('behind a proxy', () => {
    let proxy: FaultyProxy
    let store: ObjectStore
    let object: StoredObject
    beforeAll(async () => {
      const server = rig.server()
      proxy = await FaultyProxy.start(server.origin)
      await server.createBucket('faults')
      await server.put('faults', 'm/x', Buffer.alloc(300_000, 'x'))
      store = await open('faults', '', {}, server.behind(proxy.origin))
      object = await only(store, '')
    })
    afterAll(() => proxy.stop())

    test.each([
      { status: 500 },
      { status: 503, body: '<Error><Code>SlowDown</Code></Error>' },
      'reset',
      'truncate',
    ] as const)('what comes once and is over is busy, and is not tried again here: %j', async (fault) => {
      proxy.fault = () => fault
      const before = proxy.seen.length
      await expect(store.list('', signal)).rejects.toMatchObject({ name: 'StoreError', kind: 'busy' })
      await expect(store.directories(signal)).rejects.toMatchObject({ name: 'StoreError', kind: 'busy' })
      await expect(read(store, object)).rejects.toMatchObject({ name: 'StoreError', kind: 'busy' })
      expect(proxy.seen.length - before).toBe(3)
      proxy.fault = () => undefined
      expect(await read(store, object)).toHaveLength(300_000)
    })

    test.each(['hang', 'stall'] as const)('an aborted signal ends what waits: %s', async (fault) => {
      const reason = new StoreError('busy', 'enough')
      for (const ask of [
        (signal: AbortSignal) => store.list('', signal),
        (signal: AbortSignal) => store.directories(signal),
        async (signal: AbortSignal) => buffer(await store.read(object, signal)),
      ]) {
        const controller = new AbortController()
        const asked = new Promise<void>((resolve) => {
          proxy.fault = () => {
            resolve()
            return fault
          }
        })
        const answer = expect(ask(controller.signal)).rejects.toBe(reason)
        await asked
        controller.abort(reason)
        await answer
      }
      proxy.fault = () => undefined
    })

    test('a content that nobody wants any more frees its connection', async () => {
      proxy.fault = () => 'stall'
      const content = await store.read(object, signal)
      content.destroy()
      await once(content, 'close')
      while (proxy.unanswered > 0) await new Promise(setImmediate)
      proxy.fault = () => undefined
    })
  })
}
