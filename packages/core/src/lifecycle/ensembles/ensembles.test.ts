import { echoBackend, manualBackend } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { answer, config, input, manual, repository, started } from '../../fixtures/server-rig.ts'
import { type Logger, Server, silentLogger } from '../../index.ts'
import { chain, models } from '../fixtures/ensemble-config.ts'

async function explicit(configs: Record<string, string>, loadModels: string[] = [], logger: Logger = silentLogger) {
  const made = await repository(models(configs))
  const backend = manualBackend('identity')
  const server = new Server({
    modelRepository: made.path,
    backends: [backend],
    modelControl: 'explicit',
    loadModels,
    logger,
  })
  await server.start()
  const ready = async (): Promise<string[]> => (await server.index({ ready: true })).map(({ name }) => name)
  const loads = (): string[] => backend.log.filter((line) => line.startsWith('model '))
  return { server, backend, write: made.write, ready, loads, [Symbol.asyncDispose]: () => server.stop() }
}

test('a Server that stops takes ensembles down before their steps, without a complaint', async () => {
  const lines: string[] = []
  const say = (_: object, text: string): void => void lines.push(text)
  const logger: Logger = { ...silentLogger, warn: say, error: say, info: say }
  const { server } = await explicit({ a: config(), b: config(), e: chain('a', 'b'), f: chain('e', 'b') }, ['f'], logger)
  lines.length = 0
  await server.stop()
  const unloads = lines.filter((line) => !/^model '[ab]' version 1 is gone: /.test(line))
  expect(unloads.map((line) => /^successfully unloaded '(\w)' version 1$/.exec(line)?.[1] ?? line)).toEqual([
    'f',
    'e',
    expect.stringMatching(/^[ab]$/),
    expect.stringMatching(/^[ab]$/),
  ])
})

describe('loading an ensemble', () => {
  test('loads its steps first, each once, and those of ensembles among them', async () => {
    await using rig = await explicit({ a: config(), b: config(), e: chain('a', 'b', 'a'), f: chain('e', 'b') })
    await rig.server.load('f')
    expect(await rig.ready()).toEqual(['a', 'b', 'e', 'f'])
    expect(rig.loads().sort()).toEqual(['model a 1', 'model b 1'])
    expect(await rig.server.isReady()).toBe(true)
    expect(await rig.server.model('f').isReady()).toBe(true)
    expect(rig.server.model('f').metadata()).toMatchObject({ platform: 'ensemble', versions: ['1'] })
    expect(rig.server.model('f').config.instanceGroup).toEqual([])
  })

  test('at the start no model is loaded twice, and one that fails is not tried again', async () => {
    const made = await repository(
      models({ a: config(), bad: config(), e: chain('a', 'bad'), f: chain('a', 'e'), g: chain('a', 'a') }),
    )
    const backend = manualBackend('identity')
    const createModel = backend.createModel.bind(backend)
    const tried: string[] = []
    backend.createModel = async (context) => {
      tried.push(context.name)
      if (context.name === 'bad') throw new Error('broken')
      return createModel(context)
    }
    await using server = new Server({ modelRepository: made.path, backends: [backend], exitOnError: false })
    await server.start()
    expect(tried.sort()).toEqual(['a', 'bad'])
    expect((await server.index({ ready: true })).map(({ name }) => name)).toEqual(['a', 'g'])
    expect(await server.index()).toContainEqual({ name: 'e' })
    expect(await server.isReady()).toBe(false)
  })

  test('a start that fails tells of every model', async () => {
    const files = models({ a: config().replace('identity', 'nope'), e: chain('a') })
    const unavailable =
      "version 1 is at UNAVAILABLE state: Invalid argument: unable to find backend library for backend 'nope', try specifying runtime on the model configuration.;"
    await expect(started(files)).rejects.toThrow(
      `'e': ensemble 'e' depends on 'a' which has no loaded version. Model 'a' loading failed with error: ${unavailable}`,
    )
  })

  test.each([
    [
      'a step that is not there',
      { e: chain('x', 'y') },
      'ensemble e contains models that are not available or ambiguous: x, y',
    ],
    [
      'a step that cannot be polled',
      { x: 'max_batch_sizee: 1', e: chain('x') },
      'ensemble e contains models that are not available or ambiguous: x',
    ],
    [
      'a name that leads elsewhere',
      { e: chain('../e') },
      'ensemble e contains models that are not available or ambiguous: ../e',
    ],
    ['itself', { e: chain('e') }, 'circular dependency between ensembles: e -> ... -> e -> e'],
    [
      'a circle',
      { e: chain('f'), f: chain('g'), g: chain('e') },
      'circular dependency between ensembles: e -> ... -> g -> e',
    ],
    [
      'a step in a circle',
      { e: chain('f'), f: chain('g'), g: chain('f') },
      "ensemble 'e' depends on 'f' which is not valid. Model 'f' failed with error: circular dependency between ensembles: f -> ... -> g -> f",
    ],
    [
      'a version that is not there',
      { a: config(), e: chain('a:2') },
      "ensemble 'e' depends on 'a' whose required version 2 is not loaded.",
    ],
    [
      'a step without version',
      { a: config('version_policy { specific { versions: 3 } }'), e: chain('a') },
      "ensemble 'e' depends on 'a' which has no loaded version. Model 'a' loading failed with error: at least one version must be available under the version policy of model 'a'",
    ],
    [
      'a step that needs a smaller batch',
      { a: config().replace('max_batch_size: 4', 'max_batch_size: 2'), e: chain('a') },
      'ensemble e allows maximum batch size 4, but it contains model a which only allows maximum batch size to be 2',
    ],
  ])('is refused for %s', async (_, configs: Record<string, string>, text) => {
    await using rig = await explicit(configs)
    await expect(rig.server.load('e')).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: `load failed for model 'e': ${text}\n`,
    })
    expect(await rig.server.index()).toContainEqual({ name: 'e' })
    expect(await rig.server.isReady()).toBe(false)
    await expect(rig.server.load('e')).rejects.toThrow(text)
    await rig.server.unload('e')
    expect(await rig.ready()).not.toContain('e')
  })

  test('without a version directory, or with a missing label file, fails as any model', async () => {
    const labelled = chain('a').replace('output {', 'output { label_filename: "labels.txt"')
    await using rig = await explicit({
      a: config(),
      e: chain('a').replace('max_batch_size', 'version_policy { specific { versions: 7 } } max_batch_size'),
      f: labelled,
    })
    await expect(rig.server.load('e')).rejects.toThrow(
      "load failed for model 'e': at least one version must be available under the version policy of model 'e'",
    )
    await expect(rig.server.load('f')).rejects.toThrow(
      /^load failed for model 'f': version 1 is at UNAVAILABLE state: Internal: failed to open text file for read .*labels\.txt;\n$/,
    )
    expect(await rig.ready()).toEqual([])
  })

  test('a wait that would never end becomes an error of the ensemble', async () => {
    const made = await repository(models({ a: config(), e: chain('a') }))
    const backend = manualBackend('identity')
    const createModel = backend.createModel.bind(backend)
    backend.createModel = async (context) => {
      await context.server.load('e')
      return createModel(context)
    }
    await using server = new Server({ modelRepository: made.path, backends: [backend], modelControl: 'explicit' })
    await server.start()
    await expect(server.load('e')).rejects.toThrow(
      /^load failed for model 'e': ensemble 'e' depends on 'a' which has no/,
    )
    await expect(server.load('a')).rejects.toThrow(/contains models that are not available|has no loaded version/)
  })
})

describe('when a step changes', () => {
  test('its ensembles are made anew, also those that need them', async () => {
    await using rig = await explicit({ a: config(), e: chain('a'), f: chain('e') }, ['f'])
    await rig.write({ 'a/config.pbtxt': config('parameters { key: "x" value { string_value: "y" } }') })
    const events: string[] = []
    rig.server.on('modelReady', ({ name }) => events.push(name))
    await rig.server.load('a')
    expect(events).toEqual(['a', 'e', 'f'])
  })

  test('an ensemble that does not suit it any more goes out of service, and comes back', async () => {
    await using rig = await explicit({ a: config(), e: chain('a'), f: chain('e') }, ['f'])
    await rig.write({ 'a/config.pbtxt': config().replace('max_batch_size: 4', 'max_batch_size: 2') })
    await rig.server.load('a')
    expect(await rig.ready()).toEqual(['a'])
    expect(await rig.server.index()).toContainEqual({
      name: 'e',
      version: '1',
      state: 'UNAVAILABLE',
      reason: 'unloaded',
    })
    await expect(rig.server.load('f')).rejects.toThrow(
      "load failed for model 'f': ensemble 'f' depends on 'e' which is not valid. Model 'e' failed with error: ensemble e allows",
    )
    await rig.write({ 'a/config.pbtxt': config('# again') })
    await rig.server.load('a')
    expect(await rig.ready()).toEqual(['a', 'e', 'f'])
  })

  test('a step that is unloaded takes its ensembles with it, and brings them back', async () => {
    await using rig = await explicit({ a: config(), e: chain('a'), f: chain('e') }, ['f'])
    await rig.server.unload('a')
    expect(await rig.ready()).toEqual([])
    await expect(rig.server.infer('f', input())).rejects.toThrow(
      "Request for unknown model: 'f' has no available versions",
    )
    expect(await rig.server.isReady()).toBe(true)
    await rig.server.load('a')
    expect(await rig.ready()).toEqual(['a', 'e', 'f'])
  })

  test('a version that an ensemble names must stay', async () => {
    await using rig = await explicit({ a: config('version_policy { all {} }'), e: chain('a:1') }, ['e'])
    await rig.write({ 'a/2/': '' })
    await rig.server.load('a')
    expect(await rig.ready()).toEqual(['a', 'a', 'e'])
    await rig.server.load('a', {
      config: {
        backend: 'identity',
        maxBatchSize: 4,
        versionPolicy: { specific: { versions: [2] } },
        input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [2] }],
        output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [2] }],
      },
    })
    expect(await rig.ready()).toEqual(['a'])
  })

  test('an ensemble stays as it is when only the instances of its steps change, or a reload fails', async () => {
    await using rig = await explicit({ a: config(), e: chain('a') }, ['e'])
    const events: string[] = []
    rig.server.on('modelReady', ({ name }) => events.push(name))
    await rig.write({ 'a/config.pbtxt': config('instance_group { kind: KIND_CPU count: 2 }') })
    await rig.server.load('a')
    await rig.write({ 'a/config.pbtxt': config().replace('identity', 'nope') })
    await expect(rig.server.load('a')).rejects.toThrow('unable to find backend library')
    await rig.server.load('e').catch(() => {})
    expect(events).toEqual([])
    expect(await rig.ready()).toEqual(['a', 'e'])
  })
})

describe('reloading an ensemble', () => {
  test('serves its old form until its new steps are there', async () => {
    await using rig = await explicit({ a: config(), b: config(), e: chain('a') }, ['e'])
    const createModel = rig.backend.createModel.bind(rig.backend)
    let readyMeanwhile: string[] = []
    rig.backend.createModel = async (context) => {
      readyMeanwhile = await rig.ready()
      return createModel(context)
    }
    await rig.write({ 'e/config.pbtxt': chain('b') })
    await rig.server.load('e')
    expect(readyMeanwhile).toEqual(['a', 'e'])
    expect(rig.server.model('e').config.ensembleScheduling?.step[0]?.modelName).toBe('b')
    await rig.server.unload('a')
    expect(await rig.ready()).toEqual(['b', 'e'])
  })

  test('into what cannot be served takes it out of service', async () => {
    await using rig = await explicit({ a: config(), e: chain('a') }, ['e'])
    await rig.write({ 'e/config.pbtxt': chain('a', 'x') })
    await expect(rig.server.load('e')).rejects.toThrow('contains models that are not available or ambiguous: x')
    expect(await rig.ready()).toEqual(['a'])
    await rig.write({ 'x/config.pbtxt': config(), 'x/1/': '' })
    await rig.server.load('x')
    expect(await rig.ready()).toEqual(['a', 'e', 'x'])
    const served = rig.server.model('e').config
    await rig.server.load('e')
    expect(rig.server.model('e').config).toBe(served)
  })

  test('it may become an ordinary model, and that an ensemble', async () => {
    await using rig = await explicit({ a: config(), b: config(), e: chain('a') }, ['e', 'b'])
    await rig.write({ 'e/config.pbtxt': config() })
    await rig.server.load('e')
    await rig.server.unload('a')
    await rig.write({ 'b/config.pbtxt': chain('e') })
    await rig.server.load('b')
    expect(await rig.ready()).toEqual(['b', 'e'])
    expect(rig.server.model('b').metadata().platform).toBe('ensemble')
    await rig.server.unload('e')
    expect(await rig.ready()).toEqual([])
  })

  test('a load that is given up leaves what was there', async () => {
    await using rig = await explicit({ a: config(), b: config(), e: chain('a') }, ['e'])
    const giveUp = new AbortController()
    const createModel = rig.backend.createModel.bind(rig.backend)
    rig.backend.createModel = async (context) => {
      giveUp.abort()
      return createModel(context)
    }
    await rig.write({ 'e/config.pbtxt': chain('b') })
    await expect(rig.server.load('e', { signal: giveUp.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await rig.ready()).toEqual(['a', 'e'])
    await rig.server.unload('a')
    expect(await rig.ready()).toEqual([])
  })

  test('the old form goes with its steps while the new one is being loaded', async () => {
    await using rig = await explicit({ a: config(), b: config(), e: chain('a') }, ['e'])
    const giveUp = new AbortController()
    const createModel = rig.backend.createModel.bind(rig.backend)
    let readyMeanwhile: string[] = []
    rig.backend.createModel = async (context) => {
      if (context.name === 'b') {
        await rig.server.unload('a')
        readyMeanwhile = await rig.ready()
        giveUp.abort()
      }
      return createModel(context)
    }
    await rig.write({ 'e/config.pbtxt': chain('b') })
    await expect(rig.server.load('e', { signal: giveUp.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(readyMeanwhile).toEqual([])
    expect(await rig.ready()).toEqual([])
    await rig.server.load('a')
    expect(await rig.ready()).toEqual(['a', 'e'])
  })
})

describe('unloading an ensemble', () => {
  test('leaves its steps, unless told otherwise', async () => {
    await using rig = await explicit({ a: config(), b: config(), e: chain('a', 'b') }, ['e'])
    await rig.server.unload('e')
    expect(await rig.ready()).toEqual(['a', 'b'])
    await rig.server.load('e')
    await rig.server.unload('e', { unloadDependents: true })
    expect(await rig.ready()).toEqual([])
    expect(rig.backend.log.filter((line) => line.startsWith('dispose ')).sort()).toHaveLength(4)
  })

  test('keeps steps that another ensemble needs and those that were asked for', async () => {
    const configs = { a: config(), b: config(), c: config(), e: chain('a', 'b', 'c'), f: chain('b'), g: chain('e') }
    await using rig = await explicit(configs, ['g', 'f', 'c'])
    await rig.server.unload('g', { unloadDependents: true })
    expect(await rig.ready()).toEqual(['b', 'c', 'f'])
    await rig.server.unload('f', { unloadDependents: true })
    expect(await rig.ready()).toEqual(['c'])
  })

  test('asking for a step that an ensemble has brought makes it stay', async () => {
    await using rig = await explicit({ a: config(), e: chain('a') }, ['e'])
    await rig.server.load('a')
    await rig.server.unload('e', { unloadDependents: true })
    expect(await rig.ready()).toEqual(['a'])
  })
})

describe('requests of ensembles', () => {
  test('finish with their steps when both are unloaded', async () => {
    const made = await repository(models({ m: manual(), e: chain('m') }))
    const backend = manualBackend()
    await using server = new Server({
      modelRepository: made.path,
      backends: [backend],
      modelControl: 'explicit',
      loadModels: ['e'],
    })
    await server.start()
    const outputs = server.infer('e', input())
    const { requests, finish } = await backend.next()
    await server.unload('e', { unloadDependents: true })
    expect((await server.index()).map(({ name, state }) => [name, state])).toEqual([
      ['e', 'UNLOADING'],
      ['m', 'READY'],
    ])
    requests[0]?.respond(answer)
    finish()
    expect(await outputs).toHaveProperty('OUT')
    await server.stop()
    expect(backend.log.filter((line) => line.startsWith('dispose'))).toEqual(['dispose m_0_0', 'dispose m 1'])
  })

  test('finish when the Server stops, steps that are still to come included', async () => {
    const made = await repository(models({ m: manual(), e: chain('m', 'm') }))
    const backend = manualBackend()
    const server = new Server({ modelRepository: made.path, backends: [backend] })
    await server.start()
    const outputs = server.infer('e', input())
    const first = await backend.next()
    const stopped = server.stop()
    first.requests[0]?.respond(answer)
    first.finish()
    const second = await backend.next()
    second.requests[0]?.respond(answer)
    second.finish()
    expect(await outputs).toHaveProperty('OUT')
    await stopped
  })

  test('statistics and metrics count the ensemble and its steps', async () => {
    const server = await started(models({ a: config(), e: chain('a', 'a') }), { backends: [echoBackend()] })
    await server.infer('e', input())
    expect(server.statistics('e')).toMatchObject([{ inferenceCount: 1, executionCount: 1 }])
    expect(server.statistics('a')).toMatchObject([{ inferenceCount: 2, executionCount: 2 }])
    expect(server.metrics()).toContain('nv_inference_request_success{model="e",version="1"} 1')
  })
})
