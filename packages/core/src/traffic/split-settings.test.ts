import { echoBackend } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { repository, started } from '../fixtures/server-rig.ts'
import { type Logger, localCache, Server, type ServerOptions, silentLogger, type TrafficSplit } from '../index.ts'
import { request, share, splitServer, twoLatest, versionFor, versions } from './fixtures/split-rig.ts'

const split = (weights: Record<number, number>): ServerOptions => ({ trafficSplit: { m: { weights } } })
const none = {
  code: 'NOT_FOUND',
  message: expect.stringMatching(/^Request for unknown model: 'm' has no available versions/),
}

describe('a version that is not ready', () => {
  test('takes no part until it is', async () => {
    const files = versions('m', twoLatest(), 1, 2)
    const made = await repository(files)
    const server = await started(
      {},
      { ...split({ 1: 2, 2: 1, 3: 1 }), modelRepository: made.path, modelControl: 'explicit', loadModels: ['m'] },
    )
    expect(await share(server, 30)).toEqual({ 1: 20, 2: 10 })
    await made.write({ 'm/3/': '' })
    await server.load('m')
    expect(await share(server, 30)).toEqual({ 2: 15, 3: 15 })
  })

  test('takes no turns from the others when it cannot be loaded', async () => {
    const made = await repository(versions('m', twoLatest(), 1, 2))
    const backend = echoBackend()
    const createModel = backend.createModel.bind(backend)
    backend.createModel = async (context) => {
      if (context.version === 3) throw new Error('broken')
      return createModel(context)
    }
    const server = await started(
      {},
      {
        ...split({ 1: 3, 2: 1 }),
        modelRepository: made.path,
        modelControl: 'explicit',
        loadModels: ['m'],
        backends: [backend],
      },
    )
    await made.write({ 'm/3/': '' })
    const turns: number[] = []
    for (let i = 0; i < 4; i++) {
      await expect(server.load('m')).rejects.toThrow('broken')
      turns.push(await versionFor(server))
    }
    expect(turns).toEqual([1, 1, 2, 1])
  })

  test('is not replaced by one that has no weight', async () => {
    const server = await splitServer(split({ 7: 1, 2: 0 }))
    await expect(versionFor(server)).rejects.toMatchObject(none)
    await expect(versionFor(server, { stickyKey: 'u' })).rejects.toMatchObject(none)
    expect(() => server.model('m').requestStream(request())).toThrow(expect.objectContaining(none))
    expect((await server.model('m', 2).request(request())).modelVersion).toBe(2)
  })

  test('gives the error of Triton when none is', async () => {
    const made = await repository(versions('m', twoLatest(), 1, 2))
    const server = await started(
      {},
      { ...split({ 1: 1 }), modelRepository: made.path, modelControl: 'explicit', loadModels: ['m'] },
    )
    await server.unload('m')
    await expect(versionFor(server)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: "Request for unknown model: 'm' has no available versions",
    })
    // The split is not the versions': it is there when they come back.
    await server.load('m')
    expect(await share(server, 5)).toEqual({ 1: 5 })
  })
})

describe('a split', () => {
  test('of a model that is nowhere is refused, and of a name that is wrong at the start', async () => {
    const server = await splitServer(split({ 1: 1 }))
    const error = { code: 'INVALID_ARG', message: "there is no model 'n' to split the traffic of; is its name right?" }
    await expect(server.setTrafficSplit('n', { weights: { 1: 1 } })).rejects.toMatchObject(error)
    await server.setTrafficSplit('n', undefined)
    const files = versions('m', twoLatest(), 1, 2)
    const trafficSplit = { n: { weights: { 1: 1 } } }
    await expect(started(files, { trafficSplit })).rejects.toMatchObject(error)
    const warnings: string[] = []
    const logger: Logger = { ...silentLogger, warn: (_, message) => warnings.push(message) }
    await started(files, { trafficSplit, exitOnError: false, logger })
    expect(warnings).toEqual([error.message])
  })

  test('goes on, and its turns, when a model on demand was evicted in between', async () => {
    const files = { ...versions('m', twoLatest(), 1, 2), ...versions('n', twoLatest(), 1, 2) }
    const onDemand = { modelControl: 'on-demand', memoryBudget: 3, memoryOf: () => 1 } as const
    const server = await started(files, { ...split({ 1: 3, 2: 1 }), ...onDemand })
    const turns: number[] = []
    for (let i = 0; i < 4; i++) {
      turns.push(await versionFor(server))
      await server.model('n').request(request())
      expect(await server.index({ ready: true })).toMatchObject([{ name: 'n' }, { name: 'n' }])
    }
    expect(turns).toEqual([1, 1, 2, 1])
  })

  test('of a model that was not loaded yet waits for it', async () => {
    const server = await started(versions('m', twoLatest(), 1, 2), { modelControl: 'explicit' })
    await server.setTrafficSplit('m', { weights: { 1: 1 } })
    await server.load('m')
    expect(await share(server, 5)).toEqual({ 1: 5 })
  })

  test('that makes no sense is refused, and the one before goes on', async () => {
    expect(() => new Server(split({ 1: -1 }))).toThrow(expect.objectContaining({ code: 'INVALID_ARG' }))
    expect(() => new Server({ trafficSplit: { m: { weights: { 1: 1 }, stickyParameter: '' } } })).toThrow(
      "the stickyParameter of model 'm' must be the name of a parameter",
    )
    expect(() => new Server({ trafficSplit: { m: null as unknown as TrafficSplit } })).toThrow(
      "the traffic split of model 'm' must be an object with weights",
    )
    const server = await splitServer(split({ 1: 1 }))
    await expect(server.setTrafficSplit('m', { weights: { 2: Number.NaN } })).rejects.toMatchObject({
      code: 'INVALID_ARG',
    })
    expect(await share(server, 5)).toEqual({ 1: 5 })
  })

  test('belongs to one Server', async () => {
    const first = await splitServer(split({ 1: 1 }))
    const second = await splitServer(split({ 2: 1 }))
    expect([await share(first, 3), await share(second, 3)]).toEqual([{ 1: 3 }, { 2: 3 }])
  })

  test('of a model in namespaces goes by its name or its id', async () => {
    const here = await repository(versions('m', twoLatest(), 1, 2))
    const there = await repository({ ...versions('m', twoLatest(), 1, 2), ...versions('k', twoLatest(), 1, 2) })
    const id = `${there.path}::m`
    const trafficSplit = { [id]: { weights: { 1: 1 } }, k: { weights: { 1: 1 } } }
    const server = await started({}, { modelRepository: [here.path, there.path], modelNamespacing: true, trafficSplit })
    const asked = async (name: string) => (await server.model(name).request(request())).modelVersion
    expect(await Promise.all([asked(id), asked(`${here.path}::m`), asked('k'), asked(`${there.path}::k`)])).toEqual([
      1, 2, 1, 1,
    ])
  })

  test('of a name in several namespaces gives each of the models turns of its own', async () => {
    const here = await repository(versions('m', twoLatest(), 1, 2))
    const there = await repository(versions('m', twoLatest(), 1, 2))
    const modelRepository = [here.path, there.path]
    const server = await started({}, { ...split({ 1: 1, 2: 1 }), modelRepository, modelNamespacing: true })
    const first = server.model(`${here.path}::m`)
    const second = server.model(`${there.path}::m`)
    const turns: number[] = []
    for (let i = 0; i < 2; i++)
      for (const model of [first, second]) turns.push((await model.request(request())).modelVersion)
    expect(turns).toEqual([1, 1, 2, 2])
  })

  test('does not mix the answers of versions in the response cache', async () => {
    const server = await splitServer(
      { ...split({ 1: 1, 2: 1 }), cache: localCache({ size: 1e6 }) },
      'response_cache { enable: true }',
    )
    expect(await share(server, 10)).toEqual({ 1: 5, 2: 5 })
    const hits = server.statistics('m').map(({ inferenceStats }) => inferenceStats.cacheHit.count)
    expect(hits).toEqual([4, 4])
  })
})
