import { Server } from '@triton-ts/core'
import { expect, test } from 'vitest'
import { echoBackend } from './echo-backend.ts'
import { modelRepository } from './model-repository.ts'
import { virtualClock } from './virtual-clock.ts'

const config = (backend: string, more = '') => `backend: "${backend}" max_batch_size: 4 ${more}
  input { name: "A" data_type: TYPE_INT32 dims: 1 } output { name: "B" data_type: TYPE_INT32 dims: 1 }`

test('answers with the inputs, under the name that it is given', async () => {
  await using repository = await modelRepository({ 'm/1/': '', 'm/config.pbtxt': config('copy') })
  await using server = await Server.start({ modelRepository: repository.path, backends: [echoBackend('copy')] })
  const { B } = await server.infer('m', { A: [[7]] })
  expect([...(B?.data ?? [])]).toEqual([7])
})

test('remembers what ran together', async () => {
  const clock = virtualClock()
  const backend = echoBackend({ clock })
  await using repository = await modelRepository({
    'm/1/': '',
    'm/config.pbtxt': config(
      'identity',
      'dynamic_batching { max_queue_delay_microseconds: 1000 } instance_group { kind: KIND_CPU count: 1 }',
    ),
  })
  await using server = await Server.start({ modelRepository: repository.path, backends: [backend], clock })
  const answers = [[[1]], [[2]], [[3]]].map((A, i) => server.infer('m', { A }, { id: `r${i}` }))
  expect(backend.batches).toEqual([])
  await clock.advance(1)
  expect((await Promise.all(answers)).map(({ B }) => B?.data[0])).toEqual([1, 2, 3])
  const batch = { ids: ['r0', 'r1', 'r2'], size: 3, model: 'm', instance: 'm_0_0', at: 1 }
  expect(backend.batches).toEqual([batch])
  expect(backend.batchOf('r1')).toEqual(batch)
  expect(backend.batchOf('nobody')).toBeUndefined()
  expect(server.statistics('m')[0]).toMatchObject({ inferenceCount: 3, executionCount: 1 })
  expect(server.metrics()).toContain('nv_inference_pending_request_count{model="m",version="1"} 0')
})

test('keeps as many batches as it is told', async () => {
  const few = echoBackend({ history: 2 })
  const none = echoBackend({ name: 'none', history: 0 })
  await using repository = await modelRepository({
    'a/1/': '',
    'a/config.pbtxt': config('identity'),
    'b/1/': '',
    'b/config.pbtxt': config('none'),
  })
  await using server = await Server.start({ modelRepository: repository.path, backends: [few, none] })
  for (const id of ['x', 'y', 'z']) {
    await server.infer('a', { A: [[1]] }, { id })
    await server.infer('b', { A: [[1]] }, { id })
  }
  expect(few.batches.map(({ ids }) => ids)).toEqual([['y'], ['z']])
  expect(few.batchOf('x')).toBeUndefined()
  expect(none.batches).toEqual([])
})
