import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blobsOf, cloudRig, filesIn, modelFiles, opened, temporaryDirectory } from '../../fixtures/cloud-rig.ts'
import { MemoryStore } from '../../fixtures/memory-store.ts'
import { smallDisk } from '../../fixtures/small-disk.ts'

/** Models a, b and c of 1000 bytes each, `two` of two times 1000, and a disk that has room for 2500. */
async function rig() {
  const store = new MemoryStore()
  store.chunkSize = 100
  for (const name of ['a', 'b', 'c']) store.put(`${name}/model.bin`, name.repeat(1000))
  store.put('two/x', 'x'.repeat(1000))
  store.put('two/y', 'y'.repeat(1000))
  const cache = await temporaryDirectory()
  const { source, clock } = await cloudRig({ store, cache, openFile: smallDisk(cache, 2500) })
  const open = async (name: string) => {
    await clock.advance(1000)
    return opened(source, name)
  }
  return { store, cache, open }
}

test('a full disk is cleared of what no model uses, the oldest use first', async () => {
  const { store, open } = await rig()
  await (await open('a')).dispose()
  await (await open('b')).dispose()
  await (await open('a')).dispose()
  const { directory } = await open('c')
  expect(await filesIn(directory)).toEqual({ 'model.bin': 'c'.repeat(1000) })
  store.reads.length = 0
  await (await open('a')).dispose()
  expect(store.reads).toEqual([])
  await (await open('b')).dispose()
  expect(new Set(store.reads)).toEqual(new Set(['b/model.bin']))
})

test('where all is in use, the load fails, names the directory and leaves nothing; what was loaded stays', async () => {
  const { cache, open } = await rig()
  const a = await open('a')
  const b = await open('b')
  await expect(open('c')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining(`no space left in the cache directory '${cache}' for 'c/model.bin' (1000 bytes)`),
  })
  expect(await modelFiles(cache)).toHaveLength(2)
  expect(await blobsOf(cache)).toHaveLength(2)
  expect(await filesIn(join(a.directory, '..'))).toEqual({ 'a/model.bin': 'a'.repeat(1000) })
  await b.dispose()
  expect(await filesIn((await open('c')).directory)).toEqual({ 'model.bin': 'c'.repeat(1000) })
})

test('a model that does not fit beside those in use fails, however many of its files come at once', async () => {
  const { store, cache, open } = await rig()
  const a = await open('a')
  store.put('two/z', 'z'.repeat(1000))
  await expect(open('two')).rejects.toThrow('no space left')
  expect(await modelFiles(cache)).toHaveLength(1)
  expect(await filesIn(a.directory)).toEqual({ 'model.bin': 'a'.repeat(1000) })
})
