import { setImmediate } from 'node:timers/promises'
import { manualBackend, virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { answer, input, manual, started, withManual } from '../fixtures/server-rig.ts'
import { silentLogger, type TritonError } from '../index.ts'

const batching = 'dynamic_batching { max_queue_delay_microseconds: 500 }'

const stopping = 'Server is stopping, scheduler for model has stopped accepting new inference requests'

const outcome = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error: TritonError) => `${error.code} ${error.message}`,
  )

test('what waits for a batch when the stop comes still runs; what comes later is refused', async () => {
  const clock = virtualClock()
  const { server, backend } = await withManual(batching, { clock })
  const waiting = [server.infer('m', input()), server.infer('m', input())].map(outcome)
  const stop = server.stop()
  expect(server.isLive()).toBe(false)
  expect(await outcome(server.infer('m', input(), { id: 'late' }))).toBe(`UNAVAILABLE [request id: late] ${stopping}`)
  expect(() => server.inferStream('m', input())).toThrow(stopping)
  await clock.advance(0.5)
  const { requests, finish } = await backend.next()
  for (const request of requests) request.respond(answer)
  finish()
  expect(await Promise.all(waiting)).toEqual(['answered', 'answered'])
  await stop
  expect(clock.timers).toBe(0)
  expect(backend.log.slice(-2)).toEqual(['dispose m_0_0', 'dispose m 1'])
})

test('a stream that is open keeps its model until it has ended', async () => {
  const { server, backend } = await withManual('model_transaction_policy { decoupled: true }', {
    clock: virtualClock(),
  })
  const stream = server.model('m').inferStream(input())
  const { requests, finish } = await backend.next()
  requests[0]?.keep()
  finish()
  let hasStopped = false
  const stop = server.stop().then(() => {
    hasStopped = true
  })
  requests[0]?.respond(answer, { final: false })
  expect((await stream.next()).done).toBe(false)
  await setImmediate()
  expect(hasStopped).toBe(false)
  requests[0]?.end()
  expect((await stream.next()).done).toBe(true)
  await stop
})

test('callers that leave let the stop go on', async () => {
  const { server, backend } = await withManual(batching, { clock: virtualClock() })
  const caller = new AbortController()
  const waiting = outcome(server.infer('m', input(), { signal: caller.signal }))
  const stop = server.stop()
  caller.abort()
  expect(await waiting).toBe('CANCELLED the request was cancelled')
  await stop
  expect(backend.waiting).toBe(0)
})

test('when the time is over everyone is answered, at whatever stage; the backend is told and keeps its instance', async () => {
  const clock = virtualClock()
  const { server, backend } = await withManual(`model_transaction_policy { decoupled: true } ${batching}`, {
    clock,
    exitTimeout: 2,
  })
  const running = server.model('m').inferStream(input())
  await clock.advance(0.5)
  const { requests, finish } = await backend.next()
  const heard = outcome(running.next())
  const waiting = outcome(server.model('m').inferStream(input()).next())
  const stop = outcome(server.stop())
  await clock.advance(1999)
  expect(requests[0]?.isCancelled).toBe(false)
  await clock.advance(1)
  expect(await stop).toBe('INTERNAL Exit timeout expired. Exiting immediately.')
  expect(await heard).toBe('UNAVAILABLE Server is stopping, the exit timeout expired')
  expect(await waiting).toBe('UNAVAILABLE Server is stopping, the exit timeout expired')
  expect(requests[0]?.isCancelled).toBe(true)
  for (const reason of ['REJECTED', 'OTHER']) {
    expect(server.metrics()).toContain(`nv_inference_request_failure{model="m",reason="${reason}",version="1"} 1`)
  }
  expect(backend.log).not.toContain('dispose m_0_0')
  requests[0]?.end()
  finish()
  await setImmediate()
  expect(backend.log.slice(-2)).toEqual(['dispose m_0_0', 'dispose m 1'])
  expect(clock.timers).toBe(0)
})

test.each([
  ['', "model 'm' version 1 is given up with 1 request in flight"],
  ['sequence_batching {}', "model 'm' version 1 is given up with sequences that have not ended"],
])('the log says what the exit timeout gave up, %j', async (scheduling, text) => {
  const clock = virtualClock()
  const warnings: string[] = []
  const logger = { ...silentLogger, warn: (_: object, message: string) => warnings.push(message) }
  const { server, backend } = await withManual(scheduling, { clock, logger, exitTimeout: 0.5 })
  const first = outcome(server.infer('m', input(), { correlationId: 1, sequenceStart: true }))
  const { requests, finish } = await backend.next()
  if (scheduling !== '') {
    requests[0]?.respond(answer)
    finish()
    expect(await first).toBe('answered')
  }
  const stop = outcome(server.stop())
  await clock.advance(500)
  expect(await stop).toBe('INTERNAL Exit timeout expired. Exiting immediately.')
  expect(warnings).toEqual([text])
  finish()
})

test('an unload drains in the same way', async () => {
  const clock = virtualClock()
  const { server, backend } = await withManual(batching, { clock, modelControl: 'explicit', loadModels: ['m'] })
  const waiting = outcome(server.infer('m', input()))
  const unload = server.unload('m')
  await setImmediate()
  expect(await outcome(server.infer('m', input()))).toBe(
    "NOT_FOUND Request for unknown model: 'm' has no available versions",
  )
  await clock.advance(0.5)
  const { requests, finish } = await backend.next()
  requests[0]?.respond(answer)
  finish()
  expect(await waiting).toBe('answered')
  await unload
  await setImmediate()
  expect(backend.log.at(-1)).toBe('dispose m 1')
})

test('a stop while the versions of a load come up is for all of them', async () => {
  const backend = manualBackend()
  const files = { 'm/config.pbtxt': manual('version_policy { all {} }'), 'm/1/': '', 'm/2/': '' }
  const more = { 'held/config.pbtxt': manual(), 'held/1/': '' }
  const options = { backends: [backend], modelControl: 'explicit', loadModels: ['held'] } as const
  const server = await started({ ...files, ...more }, options)
  const held = server.infer('held', input())
  const stopped = new Promise<void>((resolve) => {
    server.once('modelReady', () => resolve(server.stop()))
  })
  await server.load('m')
  for (const version of [1, 2]) {
    const late = server.infer('m', input(), { version, id: 'late' })
    expect(await outcome(late)).toBe(`UNAVAILABLE [request id: late] ${stopping}`)
  }
  const { requests, finish } = await backend.next()
  for (const request of requests) request.respond(answer)
  finish()
  await held
  await stopped
})
