import { setImmediate } from 'node:timers/promises'
import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { answer, input, withManual } from '../fixtures/server-rig.ts'
import { type Server, TritonError } from '../index.ts'

const queue = (policy: string): string => `dynamic_batching { default_queue_policy { ${policy} } }`

/** Failures by reason, then successes, items, batches and what waits. */
function counters(server: Server): Record<string, number> {
  const found: Record<string, number> = {}
  for (const [, name = '', reason, value] of server
    .metrics()
    .matchAll(/^nv_inference_(\w+)\{model="m",(?:reason="(\w+)",)?version="1"\} (\d+)$/gm)) {
    if (!name.endsWith('_duration_us') && value !== '0') found[reason ?? name] = Number(value)
  }
  return found
}

const fail = (server: Server) => server.statistics('m')[0]?.inferenceStats.fail

test('a request that the queue refuses is not counted', async () => {
  const { server, backend } = await withManual(queue('max_queue_size: 1'), { clock: virtualClock() })
  const running = server.infer('m', input())
  const waiting = server.infer('m', input())
  await expect(server.infer('m', input())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(counters(server)).toEqual({ pending_request_count: 1 })
  for (const promise of [running, waiting]) {
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer)
    finish()
    await promise
  }
  expect(counters(server)).toEqual({ request_success: 2, count: 2, exec_count: 2 })
  expect(fail(server)).toEqual({ count: 0, ns: 0 })
})

test('a request that is not valid is not counted', async () => {
  const { server } = await withManual()
  await expect(server.infer('m', { IN: [['x', 'y']] })).rejects.toThrow()
  await expect(server.infer('m', { NOT: [1] })).rejects.toThrow()
  await expect(server.model('m').request({ inputs: [] })).rejects.toThrow()
  expect(counters(server)).toEqual({})
})

test('a request whose time in the queue is over is REJECTED', async () => {
  const clock = virtualClock()
  const { server, backend } = await withManual(queue('default_timeout_microseconds: 2000'), { clock })
  const running = server.infer('m', input())
  const late = server.infer('m', input())
  clock.advance(3)
  await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'Request timeout expired' })
  expect(counters(server)).toEqual({ REJECTED: 1 })
  expect(fail(server)).toEqual({ count: 1, ns: 2.001e6 })
  const { requests, finish } = await backend.next()
  requests[0]?.respond(answer)
  finish()
  await running
  expect(counters(server)).toEqual({ REJECTED: 1, request_success: 1, count: 1, exec_count: 1 })
})

test.each(['', 'dynamic_batching { max_queue_delay_microseconds: 1000000 }'])(
  'a request that is cancelled in the queue is CANCELED (%s)',
  async (scheduling) => {
    const clock = virtualClock()
    const { server, backend } = await withManual(scheduling, { clock })
    const first = scheduling === '' ? server.infer('m', input()) : undefined
    const caller = new AbortController()
    const cancelled = server.infer('m', input(), { signal: caller.signal })
    clock.advance(3)
    caller.abort()
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(counters(server)).toEqual({ CANCELED: 1 })
    expect(fail(server)).toEqual({ count: 1, ns: 3e6 })
    if (first === undefined) {
      expect(backend.waiting).toBe(0)
      return
    }
    const { requests, finish } = await backend.next()
    requests[0]?.respond(answer)
    finish()
    await first
    expect(counters(server)).toEqual({ CANCELED: 1, request_success: 1, count: 1, exec_count: 1 })
  },
)

test('a request that is cancelled while it runs is CANCELED, whatever the backend answers then', async () => {
  const clock = virtualClock()
  const { server, backend } = await withManual('', { clock })
  const endings: ((request: Awaited<ReturnType<typeof backend.next>>['requests'][number]) => void)[] = [
    (request) => request.respond(answer),
    (request) => request.fail(new TritonError('INTERNAL', 'late')),
    () => {},
  ]
  for (const end of endings) {
    const caller = new AbortController()
    const promise = server.infer('m', input(), { signal: caller.signal })
    const { requests, finish } = await backend.next()
    clock.advance(1)
    caller.abort()
    await expect(promise).rejects.toMatchObject({ code: 'CANCELLED' })
    clock.advance(1)
    end(requests[0] as never)
    finish()
    await setImmediate()
  }
  expect(counters(server)).toEqual({ CANCELED: 3 })
  expect(fail(server)).toEqual({ count: 3, ns: 3e6 })
  expect(server.statistics('m')[0]).toMatchObject({ inferenceCount: 0, executionCount: 0, lastInference: 0 })
})

test('a request of a batch that fails is BACKEND, the others succeed', async () => {
  const clock = virtualClock()
  const { server, backend } = await withManual('dynamic_batching { max_queue_delay_microseconds: 1000 }', { clock })
  const answers = Promise.allSettled([server.infer('m', input()), server.infer('m', input())])
  clock.advance(1)
  const { requests, finish } = await backend.next()
  clock.advance(2)
  requests[0]?.fail(new TritonError('INVALID_ARG', 'no'))
  requests[1]?.respond(answer)
  finish()
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(counters(server)).toEqual({ BACKEND: 1, request_success: 1, count: 1, exec_count: 1 })
  expect(fail(server)).toEqual({ count: 1, ns: 3e6 })
  expect(server.statistics('m')[0]?.batchStats).toMatchObject([{ batchSize: 2 }])
})

test('a batch that throws fails every request that has no answer, and is no execution', async () => {
  const { server, backend } = await withManual('', { clock: virtualClock() })
  const promise = server.infer('m', input())
  const execution = await backend.next()
  execution.fail(new Error('no'))
  await expect(promise).rejects.toMatchObject({ code: 'INTERNAL' })
  expect(counters(server)).toEqual({ BACKEND: 1 })
  expect(server.statistics('m')[0]).toMatchObject({ executionCount: 0, batchStats: [] })
})
