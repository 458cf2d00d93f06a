import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { blobsOf, cloudRig, filesIn, opened } from '../../fixtures/cloud-rig.ts'
import { MemoryStore, withModel } from '../../fixtures/memory-store.ts'

test('only what changed is read again, also by another process with the same cache', async () => {
  const store = withModel({ 'config.pbtxt': 'c', '1/model.bin': 'one', '2/model.bin': 'two' })
  store.tellsMd5 = false
  const { source, cache } = await cloudRig({ store })
  await opened(source)
  store.reads.length = 0
  store.put('m/2/model.bin', 'new')
  const { directory } = await opened((await cloudRig({ store, cache })).source)
  expect(store.reads).toEqual(['m/2/model.bin'])
  expect(await filesIn(directory)).toEqual({ 'config.pbtxt': 'c', '1/model.bin': 'one', '2/model.bin': 'new' })
})

test('one content is read once, whatever its names, where the store tells the MD5', async () => {
  const store = withModel(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}/model.bin`, 'same'])))
  const { source, cache } = await cloudRig({ store })
  const { directory } = await opened(source)
  expect(Object.keys(await filesIn(directory))).toHaveLength(40)
  expect([store.reads.length, (await blobsOf(cache)).length]).toEqual([1, 1])
})

test('files of one tag are not one content', async () => {
  const store = withModel({ a: 'one', b: 'two' })
  store.tellsMd5 = false
  store.list = async () => ['m/a', 'm/b'].map((key) => ({ key, size: 3, etag: 'same' }))
  const content: Record<string, string> = { 'm/a': 'one', 'm/b': 'two' }
  store.read = async ({ key }) => Readable.from([Buffer.from(content[key] ?? '')])
  const { source } = await cloudRig({ store })
  expect(await filesIn((await opened(source)).directory)).toEqual({ a: 'one', b: 'two' })
})

test('a damaged blob is found and read again', async () => {
  const store = withModel()
  const { source, cache, log } = await cloudRig({ store })
  await (await opened(source)).dispose()
  const damage = async (content: string) => {
    for (const path of await blobsOf(cache)) {
      const was = await readFile(path, 'utf8')
      await chmod(path, 0o600)
      if (was === 'one') await writeFile(path, content)
    }
    store.reads.length = 0
  }
  for (const content of ['eno', 'on', 'longer']) {
    await damage(content)
    const model = await opened(source)
    expect(await filesIn(model.directory)).toEqual({ 'config.pbtxt': 'c', '1/model.bin': 'one' })
    expect(store.reads).toEqual(['m/1/model.bin'])
    await model.dispose()
  }
  await damage('xxx')
  const fresh = await cloudRig({ store, cache })
  expect(await filesIn((await opened(fresh.source)).directory)).toMatchObject({ '1/model.bin': 'one' })
  expect([...log, ...fresh.log].filter((line) => line.includes('damaged'))).toHaveLength(4)
})

test('a blob without its checksum is read again', async () => {
  const store = withModel({ a: 'a' })
  const { source, cache } = await cloudRig({ store })
  await opened(source)
  for (const path of await blobsOf(cache)) await writeFile(`${path}.sha256`, '')
  const fresh = await cloudRig({ store, cache })
  expect(await filesIn((await opened(fresh.source)).directory)).toEqual({ a: 'a' })
  expect(store.reads).toEqual(['m/a', 'm/a'])
})

test('maxBytes removes what was used longest ago and is not in use', async () => {
  const store = new MemoryStore()
  for (const name of ['a', 'b', 'c']) store.put(`${name}/x`, name.repeat(100))
  const { source, clock } = await cloudRig({ store, maxBytes: 250 })
  const open = async (name: string) => {
    const model = await opened(source, name)
    await clock.advance(1000)
    return model
  }
  await (await open('a')).dispose()
  const b = await open('b')
  await (await open('a')).dispose()
  await (await open('c')).dispose()
  store.reads.length = 0
  await (await open('b')).dispose()
  await (await open('c')).dispose()
  expect(store.reads).toEqual([])
  await (await open('a')).dispose()
  expect(store.reads).toEqual(['a/x'])
  expect(await filesIn(b.directory)).toEqual({ x: 'b'.repeat(100) })
})

test('a size that makes no sense is refused', async () => {
  await expect(cloudRig({ maxBytes: -1 })).rejects.toMatchObject({ code: 'INVALID_ARG' })
  await expect(cloudRig({ maxBytes: Number.NaN })).rejects.toThrow(
    'maxBytes of the cloud cache must be a number of 0 or more',
  )
})

test('two that bring one content at once read it once', async () => {
  const store = withModel({ a: 'a' })
  const { source } = await cloudRig({ store })
  const models = await Promise.all(Array.from({ length: 20 }, () => opened(source)))
  for (const { directory } of models) expect(await filesIn(directory)).toEqual({ a: 'a' })
  expect(new Set(models.map(({ directory }) => directory)).size).toBe(20)
  expect(store.reads).toEqual(['m/a'])
})

test('sources that bring the same at the same time with one cache do not disturb each other', async () => {
  const store = withModel(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, `content ${at}`])))
  const { cache } = await cloudRig({ store })
  const rigs = await Promise.all(Array.from({ length: 5 }, () => cloudRig({ store, cache, maxBytes: 0 })))
  const models = await Promise.all(rigs.map(({ source }) => opened(source)))
  for (const { directory } of models) expect(Object.keys(await filesIn(directory))).toHaveLength(30)
})

test('what another process removes at any time is fetched again', async () => {
  const store = withModel({ a: 'a', b: 'b' })
  const { source, cache } = await cloudRig({ store })
  await opened(source)
  await rm(join(cache, 'blobs'), { recursive: true })
  expect(await filesIn((await opened(source)).directory)).toEqual({ a: 'a', b: 'b' })
})

test('a cache that cannot be made smaller costs no load', async () => {
  const store = withModel({ a: 'a' })
  store.put('n/b', 'b')
  const { source, cache, log } = await cloudRig({ store, maxBytes: 1 })
  await (await opened(source)).dispose()
  for (const path of await blobsOf(cache)) {
    await rm(`${path}.sha256`)
    await mkdir(`${path}.sha256`)
  }
  expect(await filesIn((await opened(source, 'n')).directory)).toEqual({ b: 'b' })
  expect(log).toContain(`warn: failed to remove unused files from the cache directory '${cache}'`)
})

test('a file that somebody has put among the blobs is left alone, and stops nothing', async () => {
  const store = withModel({ a: 'a' })
  store.put('n/b', 'b')
  const { source, cache, log } = await cloudRig({ store, maxBytes: 1 })
  await mkdir(join(cache, 'blobs'))
  await writeFile(join(cache, 'blobs', '.DS_Store'), '')
  await (await opened(source)).dispose()
  await opened(source, 'n')
  expect(await blobsOf(cache)).toHaveLength(2)
  expect(log.filter((line) => line.startsWith('warn'))).toEqual([])
})
