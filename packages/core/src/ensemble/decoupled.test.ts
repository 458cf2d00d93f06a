import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import type { ExecutionRequest } from '../backend/backend.ts'
import { TritonError } from '../errors.ts'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { float, model, values } from './fixtures/pipelines.ts'
import { chain, echo, manual, serve } from './fixtures/serve.ts'

const decoupled = 'model_transaction_policy { decoupled: true }'
const request = { inputs: [{ name: 'X', tensor: float(0) }] }
const out = (value: number) => ({ outputs: { OUT: float(value) } })

test('each response of a decoupled step becomes one of the ensemble, in order', async () => {
  const { server, backend } = await serve({ first: manual(decoupled), second: echo, e: chain() })
  expect(server.model('e').isDecoupled).toBe(true)
  const stream = server.model('e').inferStream({ X: float(0) })
  const { requests, finish } = await backend.next()
  requests[0]?.respond(out(1), { final: false })
  requests[0]?.respond(out(2))
  finish()
  const heard: unknown[] = []
  for await (const outputs of stream) heard.push(values(outputs))
  expect(heard).toEqual([{ Y: 1 }, { Y: 2 }])
  const [statistics] = server.model('e').statistics()
  expect(statistics).toMatchObject({ executionCount: 1, inferenceStats: { success: { count: 1 } }, responseStats: {} })
})

test('no response of the step, none of the ensemble', async () => {
  const { server, backend } = await serve({ first: manual(decoupled), second: echo, e: chain() })
  const stream = server.model('e').inferStream({ X: float(0) })
  const { requests, finish } = await backend.next()
  requests[0]?.end()
  finish()
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})

test('a response of a step that fails ends the ensemble, and cancels what the step goes on with', async () => {
  const { server, backend } = await serve({ first: manual(decoupled), second: echo, e: chain() })
  const stream = server.model('e').requestStream(request)
  const { requests, finish } = await backend.next()
  requests[0]?.respond(out(1), { final: false })
  requests[0]?.fail(new TritonError('INTERNAL', 'torn page'), { final: false })
  expect(requests[0]?.isCancelled).toBe(true)
  requests[0]?.end()
  finish()
  expect(values((await stream.next()).value.outputs)).toEqual({ Y: 1 })
  await expect(stream.next()).rejects.toThrow("in ensemble 'e', torn page")
})

test('without a limit every response of a step is sent on', async () => {
  const { server, backend } = await serve({ first: manual(decoupled), second: manual(), e: chain() })
  const stream = server.model('e').requestStream(request)
  const execution = await backend.next()
  const producer = execution.requests[0] as ExecutionRequest
  for (const value of [1, 2, 3]) producer.respond(out(value), { final: false })
  expect(producer.room()).toBeUndefined()
  const consumer = await backend.next()
  await stream.return?.()
  expect([producer.isCancelled, consumer.requests[0]?.isCancelled]).toEqual([true, true])
  for (const { requests, finish } of [execution, consumer]) {
    requests[0]?.respond(out(0))
    finish()
  }
  expect(backend.waiting).toBe(0)
})

test('max_inflight_requests: a step that has enough to do holds the one before it', async () => {
  const { server, backend } = await serve({ first: manual(decoupled), second: manual(), e: chain(1) })
  const stream = server.model('e').requestStream(request)
  const execution = await backend.next()
  const producer = execution.requests[0] as ExecutionRequest
  producer.respond(out(1), { final: false })
  expect(producer.room()).toBeUndefined()
  producer.respond(out(2), { final: false })
  let hasRoom = false
  const room = producer.room()?.then(() => {
    hasRoom = true
  })
  const first = await backend.next()
  expect([backend.waiting, hasRoom]).toEqual([0, false])
  first.requests[0]?.respond(out(1))
  first.finish()
  await room
  const second = await backend.next()
  second.requests[0]?.respond(out(2))
  second.finish()
  producer.end()
  execution.finish()
  const heard: unknown[] = []
  for await (const { outputs } of stream) heard.push(values(outputs).Y)
  expect(heard).toEqual([1, 2])
})

test('max_inflight_requests: a step waits for those after it, never for what comes to itself', async () => {
  const { server, backend } = await serve({ first: manual(decoupled), second: manual(decoupled), e: chain(1) })
  const stream = server.model('e').requestStream(request)
  const execution = await backend.next()
  const producer = execution.requests[0] as ExecutionRequest
  producer.respond(out(1), { final: false })
  producer.respond(out(2), { final: false })
  const first = await backend.next()
  const consumer = first.requests[0] as ExecutionRequest
  consumer.respond(out(3), { final: false })
  expect(consumer.room()).toBeUndefined()
  const room = producer.room()
  expect(room).toBeInstanceOf(Promise)
  await stream.return?.()
  await room
  for (const { requests, finish } of [execution, first]) {
    requests[0]?.end()
    finish()
  }
  expect(backend.waiting).toBe(0)
})

test('max_inflight_requests holds for all requests together, and given up ones leave the line', async () => {
  const { server, backend } = await serve({ first: echo, second: manual(), e: chain(1) })
  const abort = new AbortController()
  const running = server.infer('e', { X: float(1) })
  const givenUp = server.infer('e', { X: float(2) }, { signal: abort.signal })
  const last = server.infer('e', { X: float(3) })
  const execution = await backend.next()
  abort.abort()
  await expect(givenUp).rejects.toMatchObject({ code: 'CANCELLED' })
  execution.requests[0]?.respond(out(1))
  execution.finish()
  expect(values(await running)).toEqual({ Y: 1 })
  const { requests, finish } = await backend.next()
  expect(requests[0]?.inputs.get('IN')?.data).toEqual(new Float32Array([3]))
  requests[0]?.respond(out(3))
  finish()
  expect(values(await last)).toEqual({ Y: 3 })
})

test('after 300 seconds a step runs in spite of max_inflight_requests', async () => {
  const clock = virtualClock()
  const two = manual().replace('count: 1', 'count: 2')
  const { server, backend } = await serve({ first: echo, second: two, e: chain(1) }, { clock })
  const answers = [1, 2].map((value) => server.infer('e', { X: float(value) }))
  const first = await backend.next()
  await clock.advance(299_999)
  expect(backend.waiting).toBe(0)
  await clock.advance(1)
  const second = await backend.next()
  for (const [i, { requests, finish }] of [first, second].entries()) {
    requests[0]?.respond(out(i))
    finish()
  }
  expect((await Promise.all(answers)).map(values)).toEqual([{ Y: 0 }, { Y: 1 }])
})

test('a slow reader holds the decoupled step, through an ensemble in an ensemble', async () => {
  let sent = 0
  const endless = inlineBackend('endless', () => ({
    async execute([request]) {
      while (!request?.isCancelled) {
        request?.respond(out(sent++), { final: false })
        await request?.room()
      }
      request?.end()
    },
  }))
  const source = model('endless', { inputs: ['IN'], outputs: ['OUT'], more: decoupled })
  const inner = chain().replaceAll('"X"', '"IN"').replaceAll('"Y"', '"OUT"')
  const outer = chain().replace('"first"', '"inner"')
  const { server } = await serve({ first: source, second: echo, inner, outer }, { backends: [endless] })
  const stream = server.model('outer').inferStream({ X: float(0) })
  const heard: unknown[] = []
  for await (const outputs of stream) {
    heard.push(values(outputs).Y)
    if (heard.length === 40) break
  }
  expect(heard).toEqual(Array.from({ length: 40 }, (_, i) => i))
  expect(sent).toBeLessThanOrEqual(60)
  await server.stop()
})
