import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ExecutionRequest } from './backend.ts'
import { answer, input, withManual } from './fixtures/server-rig.ts'
import { type Server, TritonError, tensor } from './index.ts'

const decoupled = 'model_transaction_policy { decoupled: true }'

/** Responds until the reader falls behind; how many responses that took. */
function fill(request: ExecutionRequest): number {
  for (let count = 0; count < 1000; count++) {
    if (request.room() !== undefined) return count
    request.respond(answer, { final: false })
  }
  throw new Error('there is always room')
}

async function running(
  server: Server,
  backend: Awaited<ReturnType<typeof withManual>>['backend'],
  signal?: AbortSignal,
) {
  const stream = server.model('m').inferStream(input(), { signal })
  const { requests, finish } = await backend.next()
  return { stream, request: requests[0] as ExecutionRequest, finish }
}

test('a model that waits for room is as far ahead as the reader lets it', async () => {
  const { server, backend } = await withManual(decoupled)
  const { stream, request, finish } = await running(server, backend)
  expect(fill(request)).toBe(16)
  const total = 100
  const producing = (async () => {
    for (let sent = 16; sent < total; sent++) {
      await request.room()
      request.respond(answer, { final: false })
    }
    request.end()
    finish()
  })()
  let read = 0
  for await (const _ of stream) read++
  await producing
  expect(read).toBe(total)
})

test.each([
  ['the reader leaves', (stream: AsyncIterableIterator<unknown>, _: AbortController) => stream.return?.()],
  ['the caller aborts', async (_: AsyncIterableIterator<unknown>, caller: AbortController) => caller.abort()],
])('a model that waits for room goes on when %s', async (_, leave) => {
  const { server, backend } = await withManual(decoupled)
  const caller = new AbortController()
  const { stream, request, finish } = await running(server, backend, caller.signal)
  fill(request)
  const room = request.room()
  await leave(stream, caller)
  await room
  expect([request.isCancelled, request.room()]).toEqual([true, undefined])
  request.end()
  finish()
})

test('an abort comes after the responses that are there', async () => {
  const { server, backend } = await withManual(decoupled)
  const caller = new AbortController()
  const { stream, request, finish } = await running(server, backend, caller.signal)
  request.respond(answer, { final: false })
  caller.abort()
  expect(await stream.next()).toMatchObject({ done: false })
  await expect(stream.next()).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(await stream.next()).toMatchObject({ done: true })
  request.end()
  finish()
})

test('a response that failed ends inferStream, which cancels the request', async () => {
  const { server, backend } = await withManual(decoupled)
  const { stream, request, finish } = await running(server, backend)
  request.fail(new TritonError('NOT_FOUND', 'one of them'), { final: false })
  await expect(stream.next()).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'one of them' })
  expect(request.isCancelled).toBe(true)
  expect(await stream.next()).toMatchObject({ done: true })
  request.end()
  finish()
})

test('it is a response of requestStream, and others follow', async () => {
  const { server, backend } = await withManual(decoupled)
  const inputs = [{ name: 'IN', tensor: tensor('FP32', [1, 2], input().IN) }]
  const stream = server.model('m').requestStream({ id: 'a', inputs })
  const { requests, finish } = await backend.next()
  requests[0]?.fail(new TritonError('INTERNAL', 'one of them'), { final: false })
  requests[0]?.respond(answer)
  finish()
  const failed = await stream.next()
  expect(failed.value).toMatchObject({ id: 'a', modelName: 'm', outputs: {}, error: { message: 'one of them' } })
  expect((await stream.next()).value).toMatchObject({ outputs: answer.outputs })
  expect(await stream.next()).toMatchObject({ done: true })
})

test('a reader that came late has every response of a model that did not wait', async () => {
  const { server, backend } = await withManual(decoupled)
  const { stream, request, finish } = await running(server, backend)
  for (let i = 0; i < 100; i++) request.respond(answer, { final: false })
  request.end()
  finish()
  await setImmediate()
  let read = 0
  for await (const _ of stream) read++
  expect(read).toBe(100)
})
