import { expect, test } from 'vitest'
import { Caller } from '../fixtures/caller.ts'
import { testServer } from '../fixtures/test-server.ts'

test('a check is about the whole server', async () => {
  await using fixture = await testServer()
  const caller = new Caller(fixture.server)
  for (const service of ['', 'inference.GRPCInferenceService', 'nope']) {
    expect(await caller.unary('grpc.health.v1.Health/Check', { service })).toEqual({ status: 'SERVING' })
  }
  expect(await caller.unary('grpc.health.v1.Health/List', {})).toEqual({
    statuses: { '': { status: 'SERVING' }, 'inference.GRPCInferenceService': { status: 'SERVING' } },
  })
  await fixture.server.stop()
  expect(await caller.unary('grpc.health.v1.Health/Check', {})).toEqual({ status: 'NOT_SERVING' })
})

test('a watch tells the status now and each time it changes, until the client leaves', async () => {
  await using fixture = await testServer({ modelControl: 'explicit' })
  const watch = new Caller(fixture.server).stream('grpc.health.v1.Health/Watch').request({}).end()
  expect(await watch.next()).toEqual({ status: 'SERVING' })
  // Events that change nothing are not told.
  await fixture.server.load('int32')
  await fixture.server.stop()
  expect(await watch.next()).toEqual({ status: 'NOT_SERVING' })
  expect(watch.unread).toBe(0)
  watch.cancel()
  expect(await watch.ended).toBeUndefined()
  expect(fixture.server.listenerCount('stateChange')).toBe(0)
})

test('a watch without a request is refused', async () => {
  await using fixture = await testServer()
  const watch = new Caller(fixture.server).stream('grpc.health.v1.Health/Watch').end()
  expect(await watch.ended).toMatchObject({ status: 'INVALID_ARGUMENT' })
})
