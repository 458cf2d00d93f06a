import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blobsOf, cloudRig, filesIn, modelFiles, opened } from '../../fixtures/cloud-rig.ts'
import { withModel } from '../../fixtures/memory-store.ts'
import { isSameModel, isSameVersion } from '../fingerprint.ts'

test('models are the directories below the path', async () => {
  const { source, store } = await cloudRig()
  for (const key of ['b/config.pbtxt', 'a/1/model.bin', '.hidden/1/x', 'file.txt']) store.put(key, key)
  expect(await source.models()).toEqual(['.hidden', 'a', 'b'])
  expect([...(await source.lookAll()).keys()].sort()).toEqual(['.hidden', 'a', 'b'])
  expect(await source.look('c')).toBeUndefined()
  expect(await source.look('../a')).toBeUndefined()
})

test('a model is brought with its empty directories, and goes when it is disposed', async () => {
  const store = withModel({ 'config.pbtxt': 'c', '1/model.bin': 'one', '1/deep/er/x': 'x', empty: '' })
  store.put('m/2/', '')
  store.put('m/', '')
  const { source, cache } = await cloudRig({ store })
  const model = await opened(source)
  expect(model.directory.endsWith('/m')).toBe(true)
  expect(await filesIn(model.directory)).toEqual({
    'config.pbtxt': 'c',
    '1/model.bin': 'one',
    '1/deep/er/x': 'x',
    empty: '',
    '2/': '',
  })
  await model.dispose()
  await model.dispose()
  expect(await modelFiles(cache)).toEqual([])
  expect(await blobsOf(cache)).toHaveLength(4)
  await source.dispose()
  expect(await readdir(join(cache, 'models'))).toEqual([])
  expect(store.isDisposed).toBe(true)
})

test('a fingerprint changes with what it is of, and tells which version that is', async () => {
  const store = withModel({ 'config.pbtxt': 'c', '1/model.bin': 'one', '2/model.bin': 'two', 'labels.txt': 'l' })
  const { source } = await cloudRig({ store })
  const look = async () => (await source.look('m'))?.fingerprint ?? new Map()
  const before = await look()
  expect(isSameModel(before, await look())).toBe(true)
  expect(isSameModel(before, (await source.lookAll()).get('m')?.fingerprint ?? new Map())).toBe(true)
  store.put('m/2/model.bin', 'new')
  const after = await look()
  expect(isSameModel(before, after)).toBe(false)
  expect([isSameVersion(before, after, 1), isSameVersion(before, after, 2)]).toEqual([true, false])
  store.put('m/labels.txt', 'new')
  expect(isSameVersion(after, await look(), 1)).toBe(false)
})

test('keys that are no paths are left out with one warning, and nothing is written outside', async () => {
  const store = withModel({
    ok: 'ok',
    '../../evil': 'e',
    '/abs': 'e',
    'a//b': 'e',
    './x': 'e',
    'n\0ul': 'e',
    'w\\in': 'e',
  })
  store.put('/etc/passwd', 'e')
  store.put('../up/x', 'e')
  const { source, cache, log } = await cloudRig({ store })
  expect(await source.models()).toEqual(['m'])
  await source.lookAll()
  const { directory } = await opened(source)
  expect(await filesIn(directory)).toEqual({ ok: 'ok' })
  expect(await readdir(cache)).toEqual(['blobs', 'models'])
  expect(store.reads).toEqual(['m/ok'])
  expect(new Set(log.filter((line) => line.startsWith('warn'))).size).toBe(
    log.filter((line) => line.startsWith('warn')).length,
  )
  expect(log).toContain("warn: ignoring 'm/../../evil' in 's3://bucket/models', which is not the path of a file")
})

test('where a file and a directory have one name, the directory is taken', async () => {
  const { source } = await cloudRig({ store: withModel({ a: 'file', 'a/b': 'inner', c: '' }) })
  expect(await filesIn((await opened(source)).directory)).toEqual({ 'a/b': 'inner', c: '' })
})

test('others run while a large listing is sorted, and can give it up', async () => {
  const { source, store } = await cloudRig()
  for (let at = 0; at < 1000; at++) store.put(`m${at}/1/x`, 'x')
  let turns = 0
  const count = (): void => {
    turns++
    turning = setImmediate(count)
  }
  let turning = setImmediate(count)
  expect((await source.lookAll()).size).toBe(1000)
  clearImmediate(turning)
  expect(turns).toBeGreaterThanOrEqual(8)
  const controller = new AbortController()
  const reason = new Error('given up')
  setImmediate(() => controller.abort(reason))
  await expect(source.lookAll(controller.signal)).rejects.toBe(reason)
})
