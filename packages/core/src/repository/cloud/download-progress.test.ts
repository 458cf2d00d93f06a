import { expect, test } from 'vitest'
import { cloudRig, opened } from '../../fixtures/cloud-rig.ts'
import { withModel } from '../../fixtures/memory-store.ts'
import type { DownloadProgress } from './download-progress.ts'

test('progress is told at the start, at most every second and at the end', async () => {
  const store = withModel({ a: 'a'.repeat(3000), b: 'b'.repeat(2000) })
  const told: DownloadProgress[] = []
  const { source, clock, cache, log } = await cloudRig({ store, onProgress: (progress) => told.push(progress) })
  const read = store.read.bind(store)
  store.read = async (object) => {
    clock.advance(600)
    return read(object)
  }
  await opened(source)
  const all = { model: 'm', files: 2, bytes: 5000 }
  expect(told[0]).toEqual({ ...all, filesDone: 0, bytesDone: 0, cachedBytes: 0 })
  expect(told.at(-1)).toEqual({ ...all, filesDone: 2, bytesDone: 5000, cachedBytes: 0 })
  expect(told).toHaveLength(3)
  expect(log).toEqual([
    "info: bringing 2 files (5 KB) of model 'm' from 's3://bucket/models'",
    "info: downloaded 2 files (5 KB) of model 'm' from 's3://bucket/models' in 1.2 s, 0 were in the cache",
  ])
  store.put('m/b', 'new')
  const second = await cloudRig({ store, cache, onProgress: (progress) => told.push(progress) })
  await opened(second.source)
  expect(told.at(-1)).toEqual({ model: 'm', files: 2, bytes: 3003, filesDone: 2, bytesDone: 3003, cachedBytes: 3000 })
  expect(second.log.at(-1)).toMatch(/^info: downloaded 1 file \(3 B\) of .*, 1 were in the cache$/)
})

test('a file that begins again counts anew, and an onProgress that throws stops nothing', async () => {
  const store = withModel({ a: 'a'.repeat(3000) })
  store.next('read', 'truncate', 'corrupt')
  const told: DownloadProgress[] = []
  const onProgress = (progress: DownloadProgress) => {
    told.push(progress)
    throw new Error('no')
  }
  const { source, log } = await cloudRig({ store, onProgress })
  await opened(source)
  expect(told.at(-1)).toMatchObject({ filesDone: 1, bytesDone: 3000 })
  expect(Math.max(...told.map(({ bytesDone }) => bytesDone))).toBe(3000)
  expect(log).toContain('error: the onProgress of a cloud repository threw')
})
