import { virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { cleanUp, repository, started } from '../fixtures/server-rig.ts'
import type { InferRequest, Server, ServerOptions } from '../index.ts'
import { request, twoLatest, versionFor, versions } from './fixtures/split-rig.ts'

const batching = 'sequence_batching { max_sequence_idle_microseconds: 1000000 }'

/** A Server whose model `m` has the versions 1 and 2, and whose sequences are over when the test is. */
async function sequenceServer(weights: Record<number, number>, options: ServerOptions = {}) {
  const clock = virtualClock()
  const trafficSplit = { m: { weights } }
  const files = options.modelRepository === undefined ? versions('m', twoLatest(batching), 1, 2) : {}
  const server = await started(files, { trafficSplit, clock, ...options })
  cleanUp(() => clock.advance(2000))
  return { server, clock }
}

const step = (correlationId: number | string, more: Partial<InferRequest> = {}) => ({ correlationId, ...more })
const start = (id: number | string, more = {}) => step(id, { sequenceStart: true, ...more })
const end = (id: number | string) => step(id, { sequenceEnd: true })

/** Begins sequences until one of them is in that version; they have the ids from `from` on. */
async function begunIn(server: Server, version: number, from = 1): Promise<number> {
  for (let id = from; ; id++) if ((await versionFor(server, start(id))) === version) return id
}

describe('a sequence', () => {
  test('stays in the version that its id gives it', async () => {
    const { server } = await sequenceServer({ 1: 50, 2: 50 })
    const begun = new Set<number>()
    for (let id = 1; id <= 20; id++) {
      const version = await versionFor(server, start(id))
      begun.add(version)
      expect(await versionFor(server, step(id))).toBe(version)
      expect(await versionFor(server, end(id))).toBe(version)
      // The same id again is the same key.
      expect(await versionFor(server, start(id, { sequenceEnd: true }))).toBe(version)
    }
    expect(begun).toEqual(new Set([1, 2]))
  })

  test('stays there when the weights change in the middle, and the next one of its id follows them', async () => {
    const { server } = await sequenceServer({ 1: 100, 2: 0 })
    expect(await versionFor(server, start('a'))).toBe(1)
    await server.setTrafficSplit('m', { weights: { 2: 100 } })
    expect(await versionFor(server, step('a'))).toBe(1)
    expect(await versionFor(server, step('a', { stickyKey: 'u' }))).toBe(1)
    expect(await versionFor(server, step('a', { trafficSplit: { 2: 1 } }))).toBe(1)
    // As in Triton, START ends the one that is live and begins anew, where it is.
    expect(await versionFor(server, start('a'))).toBe(1)
    expect(await versionFor(server, end('a'))).toBe(1)
    expect(await versionFor(server, start('a'))).toBe(2)
  })

  test('goes by the key of its first request where it has one', async () => {
    const { server } = await sequenceServer({ 1: 50, 2: 50 })
    const stickyKey = 'user-1'
    const own = await versionFor(server, start(1, { stickyKey }))
    const other = await begunIn(server, 3 - own, 2)
    expect(await versionFor(server, start(1000, { stickyKey }))).toBe(own)
    // Later ones may leave it out, or have another.
    expect(await versionFor(server, step(other, { stickyKey }))).toBe(3 - own)
    expect(await versionFor(server, step(1000))).toBe(own)
  })

  test('that was idle for too long begins where the weights say', async () => {
    const { server, clock } = await sequenceServer({ 1: 1 })
    expect(await versionFor(server, start(1))).toBe(1)
    await server.setTrafficSplit('m', { weights: { 2: 1 } })
    expect(await versionFor(server, step(1))).toBe(1)
    await clock.advance(1001)
    expect(await versionFor(server, start(1))).toBe(2)
  })

  test('ends with its version: what comes then has to begin anew', async () => {
    const made = await repository(versions('m', twoLatest(batching), 1, 2))
    const options = { modelRepository: made.path, modelControl: 'explicit', loadModels: ['m'] } as const
    const { server } = await sequenceServer({ 1: 1, 2: 1, 3: 1 }, options)
    const id = await begunIn(server, 1)
    await made.write({ 'm/3/': '' })
    await server.load('m')
    await expect(versionFor(server, step(id))).rejects.toMatchObject({
      message: expect.stringContaining('must specify the START flag on the first request of the sequence'),
    })
    expect(await versionFor(server, start(id))).not.toBe(1)
  })

  test('with an id that is none is refused as it is without a split', async () => {
    const { server } = await sequenceServer({ 1: 1 })
    await expect(versionFor(server, start(-1))).rejects.toMatchObject({
      message: expect.stringContaining('correlation id -1'),
    })
    await expect(versionFor(server, start('x'.repeat(129)))).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await expect(versionFor(server, { sequenceStart: true })).rejects.toMatchObject({
      message: expect.stringContaining('must specify a non-zero or non-empty correlation ID'),
    })
  })

  test('is explained', async () => {
    const { server } = await sequenceServer({ 1: 1 })
    await versionFor(server, start('a'))
    await server.setTrafficSplit('m', { weights: { 2: 3 } })
    const { explanation } = await server
      .model('m')
      .request(request({ ...step('a', { stickyKey: 'u' }), explain: true }))
    expect(explanation?.split).toEqual({ weight: 0, total: 3, key: undefined, sequence: 'a' })
  })
})
