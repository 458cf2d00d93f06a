import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { inLanes } from '../../../util/in-lanes.ts'
import type { CloudServer } from './cloud-server.ts'
import { FaultyProxy } from './faulty-proxy.ts'
import { type StoreRig, signal } from './store-rig.ts'

/** Each directory has a file of its own: s3rver does not list others. */
const nestedKeys = [
  'models/readme',
  'models/a/config.pbtxt',
  'models/a/1/x',
  'models/ab/x',
  'models/b/x',
  'models/b/2/deep/er/x',
  'other/x',
  'file',
]

const oddKeys = [
  'm/1/model with space.onnx',
  'm/1/a+b.bin',
  'm/1/100%.bin',
  'm/1/%2F%20.bin',
  'm/1/größe-日本-🙂.txt',
  `m/1/!"#$&'()*,:;=?@[]^_{|}~.txt`,
  'm/1/<tag>&amp;.txt',
]

/** What every store does, with a real server. */
export function storeContract(rig: StoreRig): void {
  const { ignoresIfMatch = false } = rig.kind
  const { open, read, only } = rig
  let server: CloudServer
  beforeAll(async () => {
    server = rig.server()
    await server.createBucket('nested')
    for (const key of nestedKeys) await server.put('nested', key, key)
  })

  test('lists what is below its prefix, with keys relative to it', async () => {
    const store = await open('nested', 'models')
    const keys = async (prefix: string): Promise<string[]> =>
      (await store.list(prefix, signal)).map(({ key }) => key).sort()
    expect(await keys('')).toEqual(['a/1/x', 'a/config.pbtxt', 'ab/x', 'b/2/deep/er/x', 'b/x', 'readme'])
    expect(await keys('a/')).toEqual(['a/1/x', 'a/config.pbtxt'])
    expect(await keys('nothing/')).toEqual([])
  })

  test('the directories are those directly below the prefix, or the bucket', async () => {
    expect((await (await open('nested', 'models/')).directories(signal)).sort()).toEqual(['a', 'ab', 'b'])
    expect((await (await open('nested')).directories(signal)).sort()).toEqual(['models', 'other'])
    expect(await (await open('nested', 'models/a/1')).directories(signal)).toEqual([])
    const error = { name: 'StoreError', kind: 'missing', message: "there is nothing below 'nothing/'" }
    await expect((await open('nested', 'nothing')).directories(signal)).rejects.toMatchObject(error)
    await server.createBucket('empty')
    expect(await (await open('empty')).directories(signal)).toEqual([])
  })

  test('reads an object; its etag and MD5 belong to its content', async () => {
    await server.createBucket('content')
    const store = await open('content')
    await server.put('content', 'm/x', 'first')
    const first = await only(store, 'm/')
    const md5 = createHash('md5').update('first').digest('hex')
    expect(first).toMatchObject({ key: 'm/x', size: 5, ...(first.md5 && { md5 }) })
    expect(String(await read(store, first))).toBe('first')
    expect(await only(store, 'm/')).toEqual(first)

    await server.put('content', 'm/x', 'other')
    const second = await only(store, 'm/')
    expect(second.etag).not.toBe(first.etag)
    expect(String(await read(store, second))).toBe('other')
    if (!ignoresIfMatch) await expect(read(store, first)).rejects.toMatchObject({ kind: 'missing' })

    await server.remove('content', 'm/x')
    expect(await store.list('', signal)).toEqual([])
    await expect(read(store, second)).rejects.toMatchObject({ kind: 'missing' })
  })

  test('an empty object and one of 20 MB', async () => {
    await server.createBucket('sizes')
    const store = await open('sizes')
    const large = Buffer.alloc(20 * 2 ** 20, 'triton-ts, 31 bytes, all the same')
    await server.put('sizes', 'empty', '')
    await server.put('sizes', 'large', large)
    expect(await read(store, await only(store, 'empty'))).toHaveLength(0)
    expect((await read(store, await only(store, 'large'))).equals(large)).toBe(true)
  })

  test('keys with signs that URLs and XML treat in their own ways', async () => {
    await server.createBucket('odd-keys')
    for (const key of oddKeys) await server.put('odd-keys', `models and more/${key}`, key)
    const store = await open('odd-keys', 'models and more')
    const found = await store.list('m/', signal)
    expect(found.map(({ key }) => key).sort()).toEqual(oddKeys.toSorted())
    for (const object of found) expect(String(await read(store, object))).toBe(object.key)
  })

  test('a list of several pages', async () => {
    await server.createBucket('pages')
    const keys = Array.from({ length: 25 }, (_, index) => `m${String(index).padStart(5, '0')}/x`)
    await inLanes(keys, 8, (key) => server.put('pages', key, ''))
    const proxy = await FaultyProxy.start(server.origin)
    const store = await open('pages', '', { pageSize: 10 }, server.behind(proxy.origin))
    expect((await store.list('', signal)).map(({ key }) => key).sort()).toEqual(keys)
    expect(proxy.seen).toHaveLength(3)
    expect((await store.directories(signal)).sort()).toEqual(keys.map((key) => key.slice(0, -2)))
    await proxy.stop()
  })

  test('a bucket that does not exist is missing', async () => {
    const store = await open('no-such-bucket')
    await expect(store.list('', signal)).rejects.toThrow(/'no-such-bucket'( at \S+)? does not exist \(404/)
    await expect(store.directories(signal)).rejects.toMatchObject({ name: 'StoreError', kind: 'missing' })
  })

  test('wrong credentials are denied', async ({ skip }) => {
    if (server.wrongEnvironment === undefined) return skip('the server asks for none')
    const store = await open('nested', '', { environment: server.wrongEnvironment })
    await expect(store.list('', signal)).rejects.toMatchObject({ kind: 'denied' })
    await expect(store.list('', signal)).rejects.toThrow(/^access to (bucket|container) 'nested' at .*is denied \(403 /)
  })

  test('a server that cannot be reached is busy', async () => {
    const gone = await FaultyProxy.start(server.origin)
    const store = await open('nested', '', {}, server.behind(gone.origin))
    await gone.stop()
    await expect(store.list('', signal)).rejects.toMatchObject({ kind: 'busy' })
    await expect(store.list('', signal)).rejects.toThrow(/'nested'( at \S+)? cannot be reached \(ECONNREFUSED: /)
  })
}
