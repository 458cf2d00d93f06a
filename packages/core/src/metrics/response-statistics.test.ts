import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import type { ExecutionRequest } from '../backend.ts'
import { answer, input, withManual } from '../fixtures/server-rig.ts'
import { type Server, TritonError, tensor } from '../index.ts'

const none = { count: 0, ns: 0 }

const once = (milliseconds: number) => ({ count: 1, ns: milliseconds * 1e6 })

/** All six counters of a response, zero where nothing is said. */
const response = (counters: object) => ({
  computeInfer: none,
  computeOutput: none,
  success: none,
  fail: none,
  emptyResponse: none,
  cancel: none,
  ...counters,
})

async function decoupled() {
  const clock = virtualClock()
  const { server, backend } = await withManual('model_transaction_policy { decoupled: true }', { clock })
  /** Runs one request; its answers are given by `work`, which may cancel it. */
  const run = async (work: (request: ExecutionRequest, cancel: () => void) => Promise<void>): Promise<unknown> => {
    const caller = new AbortController()
    const heard: unknown[] = []
    const stream = server.inferStream('m', input(), { signal: caller.signal })
    const reading = (async () => {
      try {
        for await (const outputs of stream) heard.push(Object.keys(outputs))
      } catch (error) {
        heard.push((error as TritonError).message)
      }
    })()
    const { requests, finish } = await backend.next()
    await work(requests[0] as ExecutionRequest, () => caller.abort())
    finish()
    await reading
    return heard
  }
  return { clock, server, run }
}

const responseStats = (server: Server) => server.statistics('m')[0]?.responseStats

test('responses are counted by their place, over all requests', async () => {
  const { clock, server, run } = await decoupled()
  const stream = (delays: readonly number[]) => async (request: ExecutionRequest) => {
    for (const delay of delays) {
      await clock.advance(delay)
      request.respond(answer, { final: false })
    }
    request.end()
  }
  expect(await run(stream([4, 2]))).toEqual([['OUT'], ['OUT']])
  await run(stream([1]))
  expect(responseStats(server)).toEqual({
    '0': response({
      computeInfer: { count: 2, ns: 5e6 },
      computeOutput: { count: 2, ns: 0 },
      success: { count: 2, ns: 5e6 },
    }),
    '1': response({ computeInfer: once(2), computeOutput: once(0), success: once(2) }),
  })
  expect(server.statistics('m')[0]).toMatchObject({
    inferenceCount: 2,
    executionCount: 2,
    lastInference: 7,
    inferenceStats: { success: { count: 2, ns: 7e6 }, queue: { count: 2, ns: 0 }, computeInfer: { count: 2, ns: 7e6 } },
  })
})

test('the last response may be the final one', async () => {
  const { clock, server, run } = await decoupled()
  await run(async (request) => {
    await clock.advance(1)
    request.respond(answer)
  })
  expect(responseStats(server)).toEqual({
    '0': response({ computeInfer: once(1), computeOutput: once(0), success: once(1) }),
  })
})

test('a request without any response has an empty one', async () => {
  const { clock, server, run } = await decoupled()
  expect(
    await run(async (request) => {
      await clock.advance(3)
      request.end()
    }),
  ).toEqual([])
  expect(responseStats(server)).toEqual({ '0': response({ computeInfer: once(3), emptyResponse: once(3) }) })
  expect(server.statistics('m')[0]).toMatchObject({ inferenceCount: 1, executionCount: 1 })
})

test('an error is the response that fails', async () => {
  const { clock, server, run } = await decoupled()
  const heard = await run(async (request) => {
    await clock.advance(1)
    request.respond(answer, { final: false })
    await clock.advance(2)
    request.fail(new TritonError('INTERNAL', 'broken'))
  })
  expect(heard).toEqual([['OUT'], 'broken'])
  expect(responseStats(server)).toEqual({
    '0': response({ computeInfer: once(1), computeOutput: once(0), success: once(1) }),
    '1': response({ computeInfer: once(2), fail: once(2) }),
  })
  expect(server.statistics('m')[0]).toMatchObject({
    inferenceCount: 0,
    executionCount: 0,
    inferenceStats: { success: none, fail: once(3) },
  })
})

test('a cancelled request counts once where it was, with the time that the backend took to notice', async () => {
  const { clock, server, run } = await decoupled()
  const heard = await run(async (request, cancel) => {
    request.respond(answer, { final: false })
    await clock.advance(5)
    cancel()
    await clock.advance(2)
    request.respond(answer, { final: false })
    await clock.advance(1)
    request.end()
  })
  expect(heard).toEqual([['OUT'], 'the request was cancelled'])
  expect(responseStats(server)).toEqual({
    '0': response({ computeInfer: once(0), computeOutput: once(0), success: once(0) }),
    '1': response({ cancel: once(3) }),
  })
  expect(server.statistics('m')[0]?.inferenceStats).toMatchObject({ success: none, fail: once(5) })
})

test('a stream without end has counters for its first ten thousand responses', async () => {
  const { server, run } = await decoupled()
  await run(async (request) => {
    for (let i = 0; i < 10_050; i++) request.respond(answer, { final: false })
    request.end()
  })
  expect(Object.keys(responseStats(server) ?? {})).toHaveLength(10_000)
})

test('a model that is not decoupled has none', async () => {
  const { server, backend } = await withManual()
  const promise = server.infer('m', input())
  const { requests, finish } = await backend.next()
  requests[0]?.respond(answer)
  finish()
  await promise
  expect(responseStats(server)).toEqual({})
})

test('a response that fails has its place, and others come behind it', async () => {
  const clock = virtualClock()
  const { server, backend } = await withManual('model_transaction_policy { decoupled: true }', { clock })
  const inputs = [{ name: 'IN', tensor: tensor('FP32', [1, 2], input().IN) }]
  const responses = server.model('m').requestStream({ inputs })
  const { requests, finish } = await backend.next()
  await clock.advance(2)
  requests[0]?.fail(new TritonError('INTERNAL', 'broke'), { final: false })
  await clock.advance(3)
  requests[0]?.respond(answer)
  finish()
  const heard: unknown[] = []
  for await (const { error, outputs } of responses) heard.push(error?.message ?? Object.keys(outputs))
  expect(heard).toEqual(['broke', ['OUT']])
  expect(responseStats(server)).toEqual({
    '0': response({ computeInfer: once(2), fail: once(2) }),
    '1': response({ computeInfer: once(3), computeOutput: once(0), success: once(3) }),
  })
  expect(server.statistics('m')[0]).toMatchObject({ inferenceStats: { success: { count: 1 }, fail: { count: 0 } } })
})
