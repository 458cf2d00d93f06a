import { describe, expect, test } from 'vitest'
import { answer, withManual } from '../fixtures/server-rig.ts'
import type { Server, ServerOptions } from '../index.ts'
import { request, share, splitServer, versionFor } from './fixtures/split-rig.ts'

const split = (weights: Record<number, number>): ServerOptions => ({ trafficSplit: { m: { weights } } })
describe('requests that name no version', () => {
  test('go to the highest that is ready without a split', async () => {
    const server = await splitServer()
    expect(await share(server, 10)).toEqual({ 2: 10 })
    expect(server.trafficSplit('m')).toBeUndefined()
  })

  test('are divided by the weights exactly', async () => {
    const server = await splitServer(split({ 1: 90, 2: 10 }))
    expect(await share(server, 100)).toEqual({ 1: 90, 2: 10 })
    expect(await share(server, 100)).toEqual({ 1: 90, 2: 10 })
    expect(server.statistics('m').map(({ inferenceCount }) => inferenceCount)).toEqual([180, 20])
  })

  test('are divided in every form of request', async () => {
    const server = await splitServer(split({ 1: 1, 2: 1 }))
    const IN = [1, 2]
    await server.infer('m', { IN })
    await server.model('m').infer({ IN })
    for await (const _ of server.inferStream('m', { IN }));
    for await (const _ of server.model('m').requestStream(request()));
    expect(server.statistics('m').map(({ inferenceCount }) => inferenceCount)).toEqual([2, 2])
  })

  test('follow weights that change while the Server serves', async () => {
    const server = await splitServer(split({ 1: 95, 2: 5 }))
    expect(await share(server, 20)).toEqual({ 1: 19, 2: 1 })
    await server.setTrafficSplit('m', { weights: { 1: 1, 2: 1 } })
    expect(server.trafficSplit('m')).toEqual({ weights: { 1: 1, 2: 1 } })
    expect(await share(server, 20)).toEqual({ 1: 10, 2: 10 })
    await server.setTrafficSplit('m', { weights: { 1: 0, 2: 100 } })
    expect(await share(server, 20)).toEqual({ 2: 20 })
    await server.setTrafficSplit('m', { weights: { 1: 100 } })
    expect(await share(server, 20)).toEqual({ 1: 20 })
    await server.setTrafficSplit('m', undefined)
    expect(await share(server, 20)).toEqual({ 2: 20 })
  })

  test('take in what was set, not what became of the object', async () => {
    const weights: Record<number, number> = { 1: 1 }
    const server = await splitServer()
    await server.setTrafficSplit('m', { weights })
    weights[2] = 1000
    expect(await share(server, 10)).toEqual({ 1: 10 })
    expect(server.trafficSplit('m')).toEqual({ weights: { 1: 1 } })
  })

  test('may bring weights of their own', async () => {
    const server = await splitServer()
    const answered = { 1: 0, 2: 0 }
    for (let i = 0; i < 200; i++) answered[(await versionFor(server, { trafficSplit: { 1: 75, 2: 25 } })) as 1 | 2]++
    // Three standard deviations; it is the same in every run.
    expect(answered[1]).toBeGreaterThan(150 - 18)
    expect(answered[1]).toBeLessThan(150 + 18)
    expect(await versionFor(server, { trafficSplit: { 1: 1 } })).toBe(1)
    await expect(versionFor(server, { trafficSplit: { 1: 0 } })).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: "the traffic split of model 'm' needs a version with a weight above 0",
    })
  })
})

test('a request that names its version gets it, whatever the weights are', async () => {
  const server = await splitServer(split({ 1: 100, 2: 0 }))
  const named = await server.model('m', 2).request(request({ trafficSplit: { 1: 1 }, stickyKey: 'u' }))
  expect(named.modelVersion).toBe(2)
  await server.infer('m', { IN: [1, 2] }, { version: 2 })
  expect(server.statistics('m').map(({ inferenceCount }) => inferenceCount)).toEqual([0, 2])
  // What a handle without version tells is of the highest, as in Triton.
  expect(server.model('m').version).toBe(2)
  expect(server.model('m').metadata().versions).toEqual(['1', '2'])
})

describe('a sticky key', () => {
  const users = Array.from({ length: 40 }, (_, i) => `user-${i}`)
  const places = async (server: Server, more: (user: string) => object): Promise<number[]> =>
    Promise.all(users.map((user) => versionFor(server, more(user))))

  test('keeps its version, and is taken from the request or a parameter of it', async () => {
    const server = await splitServer({ trafficSplit: { m: { weights: { 1: 50, 2: 50 }, stickyParameter: 'user_id' } } })
    const first = await places(server, (stickyKey) => ({ stickyKey }))
    expect(new Set(first)).toEqual(new Set([1, 2]))
    expect(await places(server, (stickyKey) => ({ stickyKey }))).toEqual(first)
    expect(await places(server, (user_id) => ({ parameters: { user_id } }))).toEqual(first)
    expect(await places(server, (stickyKey) => ({ stickyKey, parameters: { user_id: 'other' } }))).toEqual(first)
    // Also in a Server that was started later, and in another one.
    const again = await splitServer(split({ 1: 1, 2: 1 }))
    expect(await places(again, (sticky_key) => ({ parameters: { sticky_key } }))).toEqual(first)
    // And for the weights of a single request.
    const own = { trafficSplit: { 1: 7, 2: 7 } }
    expect(await places(await splitServer(), (stickyKey) => ({ stickyKey, ...own }))).toEqual(first)
  })

  test('moves to the version that gains, and to no other', async () => {
    const server = await splitServer(split({ 1: 80, 2: 20 }))
    const first = await places(server, (stickyKey) => ({ stickyKey }))
    await server.setTrafficSplit('m', { weights: { 1: 40, 2: 60 } })
    const second = await places(server, (stickyKey) => ({ stickyKey }))
    for (const [i, version] of first.entries()) if (version === 2) expect(second[i]).toBe(2)
    expect(second.filter((version) => version === 2).length).toBeGreaterThan(
      first.filter((version) => version === 2).length,
    )
  })

  test('that is none is refused', async () => {
    const server = await splitServer(split({ 1: 1 }))
    await expect(versionFor(server, { stickyKey: {} as unknown as string })).rejects.toMatchObject({
      code: 'INVALID_ARG',
    })
  })

  test('reaches the model as the parameter that it is', async () => {
    const { server, backend } = await withManual('', split({ 1: 1 }))
    const answered = versionFor(server, { parameters: { sticky_key: 'u', other: 1 } })
    const { requests, finish } = await backend.next()
    expect(requests[0]?.parameters).toEqual({ sticky_key: 'u', other: 1 })
    requests[0]?.respond(answer)
    finish()
    await answered
  })
})
