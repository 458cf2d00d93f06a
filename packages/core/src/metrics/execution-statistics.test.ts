import { setImmediate } from 'node:timers/promises'
import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { config, started, withManual } from '../fixtures/server-rig.ts'
import { type InferRequest, type Server, tensor } from '../index.ts'

const outputs = (items: number) => ({ outputs: { OUT: tensor('FP32', [items, 2], new Float32Array(2 * items)) } })

const request = (items: number): InferRequest => ({
  inputs: [{ name: 'IN', tensor: tensor('FP32', [items, 2], new Float32Array(2 * items)) }],
})

const metric = (server: Server, name: string): number =>
  Number(new RegExp(`^nv_inference_${name}\\{model="m",version="1"\\} (.*)$`, 'm').exec(server.metrics())?.[1])

const counters = (server: Server, names: readonly string[]): number[] => names.map((name) => metric(server, name))

const counts = ['request_success', 'count', 'exec_count', 'pending_request_count']

const durations = ['request', 'queue', 'compute_input', 'compute_infer', 'compute_output'].map(
  (name) => `${name}_duration_us`,
)

test('the default scheduler: the second request waits for the first', async () => {
  const clock = virtualClock(10)
  const { server, backend } = await withManual('', { clock })
  const answers = [server.model('m').request(request(2)), server.model('m').request(request(1))]
  expect(counters(server, counts)).toEqual([0, 0, 0, 1])
  for (const items of [2, 1]) {
    const { requests, marks, finish } = await backend.next()
    clock.advance(1)
    marks.computeStart()
    clock.advance(2)
    marks.computeEnd()
    clock.advance(0.5)
    requests[0]?.respond(outputs(items))
    finish()
    await setImmediate()
  }
  await Promise.all(answers)
  const { inferenceStats, batchStats, ...rest } = server.statistics('m')[0] as never as Record<string, object>
  expect(rest).toMatchObject({ inferenceCount: 3, executionCount: 2, lastInference: 17 })
  expect(inferenceStats).toMatchObject({
    success: { count: 2, ns: 3.5e6 + 7e6 },
    fail: { count: 0, ns: 0 },
    queue: { count: 2, ns: 3.5e6 },
    computeInput: { count: 2, ns: 2e6 },
    computeInfer: { count: 2, ns: 4e6 },
    computeOutput: { count: 2, ns: 1e6 },
  })
  const each = {
    computeInput: { count: 1, ns: 1e6 },
    computeInfer: { count: 1, ns: 2e6 },
    computeOutput: { count: 1, ns: 5e5 },
  }
  expect(batchStats).toEqual([
    { batchSize: 1, ...each },
    { batchSize: 2, ...each },
  ])
  expect(counters(server, counts)).toEqual([2, 3, 2, 0])
  expect(counters(server, durations)).toEqual([10_500, 3500, 2000, 4000, 1000])
})

test('a dynamic batch: every request has the times of the batch, the batch is counted once', async () => {
  const clock = virtualClock()
  const { server, backend } = await withManual('dynamic_batching { max_queue_delay_microseconds: 2000 }', { clock })
  const answers = [server.model('m').request(request(1))]
  clock.advance(1.5)
  answers.push(server.model('m').request(request(2)))
  expect(metric(server, 'pending_request_count')).toBe(2)
  clock.advance(0.5)
  expect(metric(server, 'pending_request_count')).toBe(0)
  const { requests, marks, finish } = await backend.next()
  marks.computeStart()
  clock.advance(4)
  marks.computeEnd()
  for (const one of requests) one.respond(outputs(one.batchSize))
  finish()
  await Promise.all(answers)
  expect(server.statistics('m')[0]).toMatchObject({
    inferenceCount: 3,
    executionCount: 1,
    inferenceStats: {
      success: { count: 2, ns: 6e6 + 4.5e6 },
      queue: { count: 2, ns: 2.5e6 },
      computeInfer: { count: 2, ns: 8e6 },
    },
    batchStats: [{ batchSize: 3, computeInfer: { count: 1, ns: 4e6 } }],
  })
  expect(counters(server, counts)).toEqual([2, 3, 1, 0])
  expect(counters(server, durations)).toEqual([10_500, 2500, 0, 8000, 0])
})

test('batches of like size are added up, sizes in order', async () => {
  const { server, backend } = await withManual('', { clock: virtualClock() })
  for (const items of [4, 1, 4]) {
    const answer = server.model('m').request(request(items))
    const { requests, finish } = await backend.next()
    requests[0]?.respond(outputs(items))
    finish()
    await answer
  }
  const sizes = server
    .statistics('m')[0]
    ?.batchStats.map(({ batchSize, computeInput }) => [batchSize, computeInput.count])
  expect(sizes).toEqual([
    [1, 1],
    [4, 2],
  ])
})

test('a request without batch dimension counts as one', async () => {
  const text = config().replace('max_batch_size: 4', '')
  const server = await started({ 'm/config.pbtxt': text, 'm/1/': '' })
  await server.infer('m', { IN: [1, 2] })
  expect(server.statistics('m')[0]).toMatchObject({ inferenceCount: 1, batchStats: [{ batchSize: 1 }] })
})

test('a kept request is counted when it is answered', async () => {
  const clock = virtualClock()
  const { server, backend } = await withManual('', { clock })
  const answer = server.model('m').request(request(1))
  const { requests, finish } = await backend.next()
  requests[0]?.keep()
  finish()
  await clock.advance(3)
  expect(counters(server, counts)).toEqual([0, 0, 0, 0])
  requests[0]?.respond(outputs(1))
  await answer
  expect(counters(server, [...counts, 'request_duration_us'])).toEqual([1, 1, 1, 0, 3000])
})

test('of a backend that marks nothing all is the model', async () => {
  const clock = virtualClock()
  const { server, backend } = await withManual('', { clock })
  const answer = server.model('m').request(request(1))
  const { requests, finish } = await backend.next()
  clock.advance(3)
  requests[0]?.respond(outputs(1))
  finish()
  await answer
  expect(counters(server, durations)).toEqual([3000, 0, 0, 3000, 0])
})
