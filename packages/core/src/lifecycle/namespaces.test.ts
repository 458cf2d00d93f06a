import { join } from 'node:path'
import type { RepositoryFiles } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { localCache } from '../cache/local-cache.ts'
import { cleanUp, config, repository } from '../fixtures/server-rig.ts'
import { tellingBackend } from '../fixtures/telling-backend.ts'
import { parseModelConfig, Server, type ServerOptions, tensor } from '../index.ts'
import { chain, models } from './fixtures/ensemble-config.ts'

/** A Server over two repositories with namespaces; a model of the first adds 1 to its input, one of the second 10. */
async function rig(first: RepositoryFiles, second: RepositoryFiles, options: ServerOptions = {}) {
  const [a, b] = [await repository(first), await repository(second)]
  const { backend, servers } = tellingBackend((directory) => (directory.startsWith(a.path) ? 1 : 10))
  const server = new Server({
    modelRepository: [a.path, b.path],
    modelNamespacing: true,
    modelControl: 'explicit',
    backends: [backend],
    ...options,
  })
  cleanUp(() => server.stop().catch(() => {}))
  await server.start()
  /** What a model adds to its input. */
  const added = async (name: string): Promise<number | undefined> =>
    (await server.infer(name, { IN: new Float32Array([0, 0]) })).OUT?.data[0] as number | undefined
  const idOf = (repository: typeof a, name: string): string => `${repository.path}::${name}`
  const ready = async (): Promise<string[]> => (await server.index({ ready: true })).map(({ name }) => name)
  return {
    server,
    a,
    b,
    added,
    inA: (name: string) => idOf(a, name),
    inB: (name: string) => idOf(b, name),
    servers,
    ready,
  }
}

const plain = models({ m: config() })

const ambiguous = {
  code: 'INVALID_ARG',
  message: "There are 2 identifiers of model 'm' in global map, model namespace must be provided to resolve ambiguity.",
}

describe('one name in two repositories', () => {
  test('is two models, which only their ids tell apart', async () => {
    const { server, added, inA, inB } = await rig(plain, plain, { loadModels: ['m'] })
    await expect(added('m')).rejects.toMatchObject(ambiguous)
    expect(await added(inA('m'))).toBe(1)
    expect(await added(inB('m'))).toBe(10)
    const ready = { name: 'm', version: '1', state: 'READY' }
    expect(await server.index()).toEqual([ready, ready])
    expect(await server.isReady()).toBe(true)
    expect(await server.model('m').isReady()).toBe(false)
    expect(await server.model(inA('m')).isReady()).toBe(true)
    expect(server.model(inB('m')).metadata()).toMatchObject({ name: 'm', versions: ['1'] })
    expect(server.model(inB('m')).config.name).toBe('m')
    expect(() => server.model('m').metadata()).toThrow(ambiguous.message)
    expect(() => server.statistics('m')).toThrow(ambiguous.message)
    const request = { inputs: [{ name: 'IN', tensor: tensor('FP32', [1, 2], new Float32Array(2)) }] }
    expect(await server.model(inB('m')).request(request)).toMatchObject({ modelName: 'm', modelVersion: 1 })
  })

  test('is counted apart', async () => {
    const { server, a, b, added, inA, inB } = await rig(plain, plain, { loadModels: ['*'] })
    await added(inA('m'))
    await added(inB('m'))
    await added(inB('m'))
    expect(
      server
        .statistics()
        .map(({ name, inferenceCount }) => [name, inferenceCount])
        .sort(),
    ).toEqual([
      ['m', 1],
      ['m', 2],
    ])
    expect(server.statistics(inB('m'))).toMatchObject([{ name: 'm', inferenceCount: 2 }])
    const line = (path: string): string => `nv_inference_count{model="m",namespace="${path}",version="1"}`
    expect(server.metrics()).toContain(`${line(a.path)} 1\n`)
    expect(server.metrics()).toContain(`${line(b.path)} 2\n`)
  })

  test('means the one that is served, and nothing when none is', async () => {
    const { server, added, inA } = await rig(plain, plain)
    const unknown = { code: 'INVALID_ARG', message: "Request for unknown model: 'm' is not found" }
    await expect(added('m')).rejects.toMatchObject(unknown)
    await expect(added(inA('m'))).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: `Request for unknown model: '${inA('m')}' is not found`,
    })
    await server.load(inA('m'))
    expect(await added('m')).toBe(1)
    await server.unload('m')
    await expect(added('m')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: "Identifier of model 'm' is not found in global map",
    })
    await expect(added(inA('m'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `Request for unknown model: '${inA('m')}' has no available versions`,
    })
  })

  test('is loaded and unloaded as one; an id names one of them', async () => {
    const { server, added, inA, inB, ready } = await rig(plain, plain)
    await server.load('m')
    expect(await ready()).toEqual(['m', 'm'])
    await server.unload(inB('m'))
    expect(await added('m')).toBe(1)
    await server.load(inB('m'))
    await expect(added('m')).rejects.toMatchObject(ambiguous)
    await server.unload('m')
    expect(await ready()).toEqual([])
    await server.load(inA('m'), {
      config: parseModelConfig(config('parameters { key: "k" value { string_value: "v" } }')).config,
    })
    expect(server.model('m').config.parameters.k).toEqual({ stringValue: 'v' })
  })

  test('whose configuration cannot be read is a name that nobody has', async () => {
    const { server, added, inA } = await rig(models({ m: 'nonsense: 1' }), {})
    await expect(server.load('m')).rejects.toThrow(`failed to load '${inA('m')}', failed to poll from model repository`)
    await expect(added('m')).rejects.toMatchObject({ code: 'INVALID_ARG' })
    expect(await server.isReady()).toBe(false)
    await server.unload('m')
    expect(await server.isReady()).toBe(true)
  })

  test('is loaded and unloaded in the order of the calls', async () => {
    const { server, ready, inA } = await rig(plain, plain)
    await Promise.all([server.load('m'), server.unload('m')])
    expect(await ready()).toEqual([])
    await Promise.all([server.load('m'), server.unload(inA('m')), server.unload('m'), server.load('m')])
    expect(await ready()).toEqual(['m', 'm'])
    await Promise.all([server.load('m'), server.unload('m'), server.load(inA('m'))])
    expect(await ready()).toEqual(['m'])
  })

  test('whose load is given up before its repositories have answered holds up nothing', async () => {
    const { server, ready } = await rig(plain, plain)
    const aborted = new AbortController()
    const given = server.load('m', { signal: aborted.signal })
    aborted.abort(new Error('enough'))
    await expect(given).rejects.toMatchObject({
      code: 'CANCELLED',
      message: "load failed for model 'm': the load was given up\n",
    })
    await server.load('m')
    expect(await ready()).toEqual(['m', 'm'])
  })

  test('of which one cannot be loaded is the other one alone, and still not told apart', async () => {
    const bad = models({ m: config('instance_group { kind: KIND_GPU }') })
    const { server, added, inA, inB } = await rig(plain, bad)
    await expect(server.load('m')).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: expect.stringMatching(`^load failed for model '${inB('m')}': version 1 is at UNAVAILABLE state: `),
    })
    expect(await added(inA('m'))).toBe(1)
    await expect(added('m')).rejects.toMatchObject(ambiguous)
    await server.unload(inB('m'))
    expect(await added('m')).toBe(1)
  })

  test('tells of every model that failed', async () => {
    const bad = models({ m: config('instance_group { kind: KIND_GPU }') })
    const { server, inA, inB } = await rig(bad, bad)
    const error: unknown = await server.load('m').catch((error: unknown) => error)
    for (const id of [inA('m'), inB('m')])
      expect(String(error)).toContain(`load failed for model '${id}': version 1 is`)
  })

  test('does not share entries of a response cache that several Servers share', async () => {
    const cache = Object.assign(localCache({ size: 1 << 20 }), { isShared: true })
    const cached = models({ m: config('response_cache { enable: true }') })
    const { added, inA, inB } = await rig(cached, cached, { cache, loadModels: ['*'] })
    for (const turn of [1, 2]) {
      expect(await added(inA('m')), `turn ${turn}`).toBe(1)
      expect(await added(inB('m')), `turn ${turn}`).toBe(10)
    }
  })
})

describe('a name in one repository', () => {
  test('needs no namespace', async () => {
    const { added } = await rig(models({ m: config() }), models({ n: config() }), { loadModels: ['*'] })
    expect([await added('m'), await added('n')]).toEqual([1, 10])
  })

  test('may be in code or in files of a load as well', async () => {
    const { server, added, inB } = await rig({}, plain, { loadModels: ['m'] })
    expect(await added('m')).toBe(10)
    await server.load('m', { config: parseModelConfig(config()).config, files: { '1/empty': new Uint8Array() } })
    await expect(added('m')).rejects.toMatchObject(ambiguous)
    expect(await added(inB('m'))).toBe(10)
    await server.unload('m')
    await expect(added('m')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    // The files of a load that names one of them replace that one.
    await server.load(inB('m'), { config: parseModelConfig(config()).config, files: { '7/empty': new Uint8Array() } })
    expect(server.model('m').metadata().versions).toEqual(['7'])
  })

  test.each(['', '..', 'a/b', 'nowhere::../m', '/nowhere::m'])('%j is refused where it is none', async (name) => {
    const { server } = await rig(plain, plain)
    await expect(server.load(name)).rejects.toMatchObject({ code: expect.stringMatching(/INVALID_ARG|INTERNAL/) })
    expect(await server.index()).toEqual([{ name: 'm' }, { name: 'm' }])
  })

  test('an id cannot lead out of its repository', async () => {
    const { server, inA, b } = await rig(plain, plain)
    await expect(server.load(inA(`../${b.path.split('/').at(-1)}/m`))).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: expect.stringContaining('model name must not contain path traversal characters'),
    })
    await expect(server.load(inA('n'))).rejects.toMatchObject({
      code: 'INTERNAL',
      message: `failed to load '${inA('n')}', failed to poll from model repository`,
    })
  })
})

describe('a step of an ensemble', () => {
  const withStep = (ensemble: string): RepositoryFiles => models({ [ensemble]: chain('m'), m: config() })

  test('is of the same repository first', async () => {
    const { server, added, ready } = await rig(withStep('e'), withStep('f'))
    await server.load('e')
    await server.load('f')
    expect([await added('e'), await added('f')]).toEqual([1, 10])
    await expect(added('m')).rejects.toMatchObject(ambiguous)
    expect((await ready()).sort()).toEqual(['e', 'f', 'm', 'm'])
  })

  test('an ensemble itself may be in both', async () => {
    const files = (step: string): RepositoryFiles => models({ e: chain(step), [step]: config() })
    const { server, added, inA, inB } = await rig(files('m'), files('n'))
    await server.load('e')
    expect([await added('m'), await added('n')]).toEqual([1, 10])
    await expect(added('e')).rejects.toThrow('model namespace must be provided to resolve ambiguity.')
    expect([await added(inA('e')), await added(inB('e'))]).toEqual([1, 10])
  })

  test('is of another repository where its own has none, and changes with that: explicit', async () => {
    const { server, a, added, inA } = await rig(models({ e: chain('m') }), withStep('f'))
    await server.load('e')
    await server.load('f')
    expect([await added('e'), await added('f'), await added('m')]).toEqual([10, 10, 10])
    await a.write(plain)
    await server.load('e')
    expect([await added('e'), await added('f')]).toEqual([1, 10])
    await expect(added('m')).rejects.toMatchObject(ambiguous)
    await server.unload(inA('m'))
    expect([await added('e'), await added('f'), await added('m')]).toEqual([10, 10, 10])
  })

  test('is of another repository where its own has none, and changes with that: poll', async () => {
    const options = { modelControl: 'poll', repositoryPollSecs: 0, repositorySettleSecs: 0 } as const
    const { server, a, added } = await rig(withStep('e'), withStep('f'), options)
    expect([await added('e'), await added('f')]).toEqual([1, 10])
    await a.remove('m')
    await server.poll()
    expect([await added('e'), await added('f'), await added('m')]).toEqual([10, 10, 10])
    await a.write(plain)
    await server.poll()
    expect([await added('e'), await added('f')]).toEqual([1, 10])
    await expect(added('m')).rejects.toMatchObject(ambiguous)
    expect(await server.isReady()).toBe(true)
  })

  test('means nobody where two others have it', async () => {
    const ensemble = models({ e: chain('m') })
    const third = await repository(ensemble)
    const { server, added, inA } = await rig(plain, plain, { loadModels: ['m'] })
    await server.registerModelRepository(third.path)
    await expect(server.load('e')).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message:
        `load failed for model '${third.path}::e': ` +
        `ensemble ${third.path}::e contains models that are not available or ambiguous: m\n`,
    })
    await server.unload(inA('m'))
    expect(await added('e')).toBe(10)
    await server.load(inA('m'))
    await expect(added('e')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('may be an ensemble that cannot be served, and is that of its own repository all the same', async () => {
    const outer = { ...models({ outer: chain('e'), e: chain('nowhere') }) }
    const { server, added, inA } = await rig(outer, models({ e: chain('m'), m: config() }))
    await server.load('e').catch(() => {})
    await expect(server.load('outer')).rejects.toThrow(
      `ensemble '${inA('outer')}' depends on '${inA('e')}' which is not`,
    )
    await server.unload(inA('e'))
    expect(await added('outer')).toBe(10)
  })

  test('that cannot be loaded is still that of its own repository', async () => {
    const { server, a, added, inA } = await rig(models({ e: chain('m') }), plain)
    await server.load('e')
    expect(await added('e')).toBe(10)
    await a.write(models({ m: config('instance_group { kind: KIND_GPU }') }))
    await expect(server.load('e')).rejects.toThrow(
      `ensemble '${inA('e')}' depends on '${inA('m')}' which has no loaded`,
    )
    await a.write(plain)
    await server.load('m')
    expect(await added('e')).toBe(1)
  })

  test('goes with its ensemble, and the one of the other repository stays', async () => {
    const { server, added, ready } = await rig(withStep('e'), withStep('f'))
    await server.load('e')
    await server.load('f')
    await server.unload('e', { unloadDependents: true })
    expect((await ready()).sort()).toEqual(['f', 'm'])
    expect([await added('m'), await added('f')]).toEqual([10, 10])
  })
})

test("a model's code means the model of its own repository first", async () => {
  const files = models({ m: config(), caller: config() })
  const { server, a, b, servers, inB } = await rig(files, files, { loadModels: ['*'] })
  const request = { inputs: [{ name: 'IN', tensor: tensor('FP32', [1, 2], new Float32Array(2)) }] }
  const inside = (at: typeof a) => {
    const found = servers.get(join(at.path, 'caller'))
    if (found === undefined) throw new Error('the caller was not loaded')
    return found
  }
  expect((await inside(a).infer('m', -1, request)).outputs.OUT?.data[0]).toBe(1)
  expect((await inside(b).infer('m', -1, request)).outputs.OUT?.data[0]).toBe(10)
  expect((await inside(a).infer(inB('m'), -1, request)).outputs.OUT?.data[0]).toBe(10)
  expect(await inside(a).isModelReady('m', -1)).toBe(true)
  expect(inside(b).model('m', -1).metadata()).toMatchObject({ name: 'm', versions: ['1'] })
  expect(inside(b).statistics('m', -1)).toMatchObject([{ name: 'm', inferenceCount: 2 }])
  expect(inside(b).statistics('', -1)).toHaveLength(4)
  await server.unload(inB('m'))
  expect((await inside(b).infer('m', -1, request)).outputs.OUT?.data[0]).toBe(1)
})

test('without namespaces an id is a name that nobody has', async () => {
  const made = await repository(plain)
  const { backend } = tellingBackend(() => 1)
  await using server = await Server.start({ modelRepository: made.path, backends: [backend] })
  await expect(server.infer(`${made.path}::m`, { IN: new Float32Array(2) })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})
