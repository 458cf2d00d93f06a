import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cloudRig, filesIn, modelFiles, opened } from '../../fixtures/cloud-rig.ts'
import { withModel } from '../../fixtures/memory-store.ts'

test('a model keeps its files when its repository is unregistered, and the last one gives all back', async () => {
  const store = withModel({ a: 'a' })
  store.put('n/b', 'b')
  const { source, cache } = await cloudRig({ store })
  const m = await opened(source)
  const n = await opened(source, 'n')
  await source.dispose()
  expect(await filesIn(m.directory)).toEqual({ a: 'a' })
  await m.dispose()
  await m.dispose()
  expect(await filesIn(n.directory)).toEqual({ b: 'b' })
  expect(store.isDisposed).toBe(false)
  await n.dispose()
  expect(await readdir(join(cache, 'models'))).toEqual([])
  expect(store.isDisposed).toBe(true)
})

test('a model that is on its way when its repository is unregistered comes', async () => {
  const store = withModel({ a: 'a', b: 'b' })
  const { source, cache } = await cloudRig({ store })
  const found = await source.look('m')
  const opening = found?.open()
  await source.dispose()
  const model = await opening
  expect(await filesIn(model?.directory ?? '')).toEqual({ a: 'a', b: 'b' })
  await model?.dispose()
  expect(await readdir(join(cache, 'models'))).toEqual([])
})

test('one that fails after that gives all back, too', async () => {
  const store = withModel({ a: 'a' })
  store.next('read', 'denied')
  const { source, cache } = await cloudRig({ store })
  const found = await source.look('m')
  const opening = found?.open()
  await Promise.all([source.dispose(), expect(opening).rejects.toMatchObject({ code: 'INTERNAL' })])
  expect(await readdir(join(cache, 'models'))).toEqual([])
  expect(store.isDisposed).toBe(true)
})

test('a model that was found before is not brought after the end', async () => {
  const { source, cache } = await cloudRig({ store: withModel() })
  const found = await source.look('m')
  await source.dispose()
  await expect(found?.open()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: "model repository 's3://bucket/models' is not in use any more",
  })
  expect(await modelFiles(cache)).toEqual([])
})

test.each(['directories', 'list'] as const)('a question that nobody else can give up ends then (%s)', async (call) => {
  const { source, store, clock } = await cloudRig({ store: withModel() })
  store.next(call, 'hang')
  const isAsked = new Promise<void>((resolve) => {
    store.onHang = resolve
  })
  const answer = call === 'directories' ? source.models() : source.lookAll()
  await isAsked
  await source.dispose()
  await expect(answer).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('is not in use') })
  expect(clock.timers).toBe(0)
})
