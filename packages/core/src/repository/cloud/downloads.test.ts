import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TritonError } from '../../errors.ts'
import { blobsOf, cloudRig, filesIn, modelFiles, opened } from '../../fixtures/cloud-rig.ts'
import { withModel } from '../../fixtures/memory-store.ts'
import { StoreError } from './object-store.ts'

test.each(['busy', 'truncate', 'break', 'stall', 'hang', 'corrupt'] as const)(
  'a read that goes wrong (%s) is tried again',
  async (fault) => {
    const store = withModel({ 'model.bin': '0123456789'.repeat(1000) })
    store.next('read', fault, fault)
    const { source, cache, clock } = await cloudRig({ store })
    const { directory } = await opened(source)
    expect(await readFile(join(directory, 'model.bin'), 'utf8')).toHaveLength(10_000)
    expect(store.reads).toHaveLength(3)
    expect(clock.now()).toBeGreaterThanOrEqual(600)
    expect(await modelFiles(cache)).toHaveLength(1)
  },
)

test.each(['busy', 'hang'] as const)('a listing that goes wrong (%s) is tried again', async (fault) => {
  const store = withModel()
  store.next('directories', fault)
  store.next('list', fault, fault)
  const { source } = await cloudRig({ store })
  expect(await source.models()).toEqual(['m'])
  expect((await source.lookAll()).size).toBe(1)
})

test('what stays busy is given up with what was tried, and nothing half-written stays', async () => {
  const store = withModel()
  const { source, cache, log } = await cloudRig({ store })
  store.next('list', ...Array(5).fill('busy'))
  await expect(source.lookAll()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: "failed to list all files in 's3://bucket/models': tried 5 times, last: the store says busy",
  })
  store.next('read', ...Array(10).fill('truncate'))
  await expect(opened(source)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(
      /^failed to read 'm\/.*' in 's3:.*': tried 5 times, last: it ended after . of . bytes$/,
    ),
  })
  expect(await modelFiles(cache)).toEqual([])
  expect(await blobsOf(cache)).toEqual([])
  expect(log.filter((line) => line.includes('will try again')).length).toBeGreaterThanOrEqual(8)
})

test.each(['denied', 'missing', 'failed'] as const)('what fails for good (%s) is not tried again', async (fault) => {
  const store = withModel({ a: 'a' })
  const { source } = await cloudRig({ store })
  store.next('directories', fault)
  store.next('list', fault)
  store.next('read', fault)
  const start = fault === 'missing' ? 'repository path is not a valid directory: ' : 'failed to list the models in '
  await expect(source.models()).rejects.toMatchObject({
    code: 'INTERNAL',
    message: `${start}'s3://bucket/models': the store says ${fault}`,
  })
  await expect(source.look('m')).rejects.toMatchObject({ code: 'INTERNAL' })
  await expect(opened(source)).rejects.toMatchObject({
    code: fault === 'missing' ? 'UNAVAILABLE' : 'INTERNAL',
    message: `failed to read 'm/a' in 's3://bucket/models': the store says ${fault}`,
  })
  expect(store.calls).toBe(4)
})

test('an object that changes between listing and reading fails the load; the next one has the new state', async () => {
  const store = withModel({ a: 'old' })
  const { source } = await cloudRig({ store })
  const found = await source.look('m')
  store.put('m/a', 'new')
  await expect(found?.open()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await filesIn((await opened(source)).directory)).toEqual({ a: 'new' })
})

test('an object that is longer than it was listed fails the load', async () => {
  const store = withModel({ a: 'long' })
  const list = store.list.bind(store)
  store.list = async (prefix) => (await list(prefix)).map((object) => ({ ...object, size: 2 }))
  const { source } = await cloudRig({ store })
  await expect(opened(source)).rejects.toThrow(
    "failed to read 'm/a' in 's3://bucket/models': it has more than the 2 bytes",
  )
})

test('a store that cannot be opened is tried again, at once while it is busy, else at the next use', async () => {
  const store = withModel()
  let calls = 0
  const { source } = await cloudRig({
    store,
    openStore: async () => {
      if (++calls === 1) throw new StoreError('busy', 'no token yet')
      if (calls === 2) throw new TritonError('UNSUPPORTED', 'no such package')
      return store
    },
  })
  await expect(source.models()).rejects.toMatchObject({ code: 'UNSUPPORTED', message: 'no such package' })
  expect(await source.models()).toEqual(['m'])
  expect(calls).toBe(3)
})

test.each(['hang', 'stall', 'busy'] as const)('a signal ends it at once (%s), and nothing stays', async (fault) => {
  const store = withModel(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, `content ${at}`])))
  const { source, cache } = await cloudRig({ store })
  store.next('read', ...Array(30).fill(fault))
  const controller = new AbortController()
  const reason = new Error('given up')
  store.onHang = () => controller.abort(reason)
  if (fault === 'busy') setImmediate(() => controller.abort(reason))
  await expect(opened(source, 'm', controller.signal)).rejects.toBe(reason)
  expect(await modelFiles(cache)).toEqual([])
  await expect(source.lookAll(controller.signal)).rejects.toBe(reason)
  await expect(opened(source, 'm', controller.signal)).rejects.toBe(reason)
})
