import { Server } from '@triton-ts/core'
import { expect, test } from 'vitest'
import { type EchoBatch, echoBackend } from './echo-backend.ts'
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

test('tells of its batches', async () => {
  const batches: EchoBatch[] = []
  const backend = echoBackend({ onBatch: (batch) => batches.push(batch) })
  const clock = virtualClock()
  await using repository = await modelRepository({
    'm/1/': '',
    'm/config.pbtxt': config(
      'identity',
      'dynamic_batching { max_queue_delay_microseconds: 1000 } instance_group { kind: KIND_CPU count: 1 }',
    ),
  })
  await using server = await Server.start({ modelRepository: repository.path, backends: [backend], clock })
  const answers = [1, 2, 3].map((value) => server.infer('m', { A: [[value]] }, { id: String(value) }))
  clock.advance(1)
  expect((await Promise.all(answers)).map(({ B }) => B?.data[0])).toEqual([1, 2, 3])
  expect(batches.map(({ requests }) => requests.map(({ id }) => id))).toEqual([['1', '2', '3']])
  expect(batches[0]?.instance).toBe('m_0_0')
  expect(server.statistics('m')[0]).toMatchObject({ inferenceCount: 3, executionCount: 1 })
  expect(server.metrics()).toContain('nv_inference_pending_request_count{model="m",version="1"} 0')
})
