import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { echoBackend, manualBackend } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { answer, cleanUp, config, input, manual, repository, started, withManual } from '../fixtures/server-rig.ts'
import { Server, TritonError } from '../index.ts'

describe('life cycle', () => {
  test('a model that fails to load stops the start and says why, with file and line', async () => {
    const { path } = await repository({
      'bad/config.pbtxt': 'max_batch_sizee: 4',
      'bad/1/': '',
      'good/config.pbtxt': config(),
      'good/1/': '',
    })
    const server = new Server({ modelRepository: path, backends: [echoBackend()] })
    await expect(server.start()).rejects.toThrow(
      /^failed to load all models\n'bad': .*config\.pbtxt:1:1: .*max_batch_sizee/,
    )
    expect(server.state).toBe('stopped')
    await expect(server.infer('good', input())).rejects.toThrow()
  })

  test('what is found after parsing has its place in the file too', async () => {
    const files = { 'a/config.pbtxt': config().replace('dims: 2', 'dims: 0'), 'a/1/': '' }
    await expect(started(files)).rejects.toThrow(
      /^failed to load all models\n'a': .*config\.pbtxt:3:43: input\[0\]\.dims.*: model input 'IN' dimension must be integer >= 1/,
    )
  })

  test('exitOnError: false serves the rest, and strict readiness says no', async () => {
    const files = {
      'bad/config.pbtxt': config().replace('identity', 'nope'),
      'bad/1/': '',
      'good/config.pbtxt': config(),
      'good/1/': '',
    }
    const server = await started(files, { exitOnError: false })
    expect(await server.infer('good', input())).toHaveProperty('OUT')
    expect(await server.isReady()).toBe(false)
    expect(await server.index()).toEqual([
      {
        name: 'bad',
        version: '1',
        state: 'UNAVAILABLE',
        reason:
          "Invalid argument: unable to find backend library for backend 'nope', try specifying runtime on the model configuration.",
      },
      { name: 'good', version: '1', state: 'READY' },
    ])
    expect(await server.index({ ready: true })).toHaveLength(1)
  })

  test('version policies choose what is served', async () => {
    const versions = { 'a/1/': '', 'a/2/': '', 'a/10/': '' }
    const latest = await started({ ...versions, 'a/config.pbtxt': config() })
    expect(latest.model('a').metadata().versions).toEqual(['10'])
    const specific = await started({
      ...versions,
      'a/config.pbtxt': config('version_policy: { specific: { versions: [1, 2] } }'),
    })
    expect(specific.model('a').metadata().versions).toEqual(['1', '2'])
    expect(specific.model('a').version).toBe(2)
    expect(specific.model('a', 1).metadata().versions).toEqual(['1'])
  })

  test('explicit control: load, unchanged load, override, unload', async () => {
    const backend = manualBackend('identity')
    const server = await started(
      { 'a/config.pbtxt': config(), 'a/1/': '' },
      { modelControl: 'explicit', backends: [backend] },
    )
    expect(await server.index()).toEqual([{ name: 'a' }])
    expect(await server.isReady()).toBe(true)
    await server.load('a')
    await server.load('a')
    expect(backend.log).toEqual(['model a 1', 'instance a_0'])
    await server.load('a', { config: { backend: 'identity', maxBatchSize: 2 } })
    expect(server.model('a').config.maxBatchSize).toBe(2)
    await server.unload('a')
    expect(await server.index()).toEqual([{ name: 'a', version: '1', state: 'UNAVAILABLE', reason: 'unloaded' }])
    await expect(server.infer('a', input())).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: "Request for unknown model: 'a' has no available versions",
    })
    expect(await server.isReady()).toBe(true)
    await server.unload('never-heard-of')
  })

  test('a failed reload keeps what serves', async () => {
    const server = await started(
      { 'a/config.pbtxt': config(), 'a/1/': '' },
      { modelControl: 'explicit', loadModels: ['*'] },
    )
    await expect(server.load('a', { config: '{ "backend": "nope" }' })).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message:
        "load failed for model 'a': version 1 is at UNAVAILABLE state: Invalid argument: unable to find backend library for backend 'nope', try specifying runtime on the model configuration.;\n",
    })
    await expect(server.load('a', { config: '{' })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: "failed to load 'a', failed to poll from model repository",
      cause: { message: expect.stringMatching(/^Invalid config override: /) },
    })
    expect(await server.infer('a', input())).toHaveProperty('OUT')
  })

  test('requests in flight finish on the version they started on', async () => {
    const { server, backend } = await withManual('', { modelControl: 'explicit', loadModels: ['m'] })
    const old = server.infer('m', input())
    const { requests, finish } = await backend.next()
    await server.unload('m')
    expect(await server.index()).toEqual([{ name: 'm', version: '1', state: 'UNLOADING' }])
    requests[0]?.respond(answer)
    finish()
    expect(await old).toHaveProperty('OUT')
    await Promise.resolve()
    expect(await server.index()).toEqual([{ name: 'm', version: '1', state: 'UNAVAILABLE', reason: 'unloaded' }])
  })

  test('files instead of a directory', async () => {
    const server = await started({}, { modelControl: 'explicit' })
    const files = { '5/model.bin': new Uint8Array([1]) }
    await expect(server.load('new', { files })).rejects.toThrow(
      "failed to load 'new', failed to poll from model repository",
    )
    await expect(server.load('new', { files: { '../x': new Uint8Array() }, config: '{}' })).rejects.toMatchObject({
      cause: {
        message: "Invalid file parameter 'file:../x' with normalized path '../x' must stay within model directory.",
      },
    })
    await server.load('new', { files, config: '{ "backend": "identity" }' })
    expect(server.model('new').metadata().versions).toEqual(['5'])
  })

  test('the files of an override are removed with the model', async () => {
    const backend = echoBackend()
    let directory = ''
    const createModel = backend.createModel.bind(backend)
    const server = await started(
      {},
      {
        modelControl: 'explicit',
        backends: [
          {
            name: 'identity',
            createModel: (model) => {
              directory = model.directory
              return createModel(model)
            },
          },
        ],
      },
    )
    await server.load('new', { files: { '1/model.bin': new Uint8Array([1]) }, config: '{ "backend": "identity" }' })
    expect(existsSync(join(directory, '1/model.bin'))).toBe(true)
    await server.stop()
    expect(existsSync(directory)).toBe(false)
  })

  test.each(['..', 'a/b', '../a'])('the name %j is refused', async (name) => {
    const server = await started({}, { modelControl: 'explicit' })
    await expect(server.load(name)).rejects.toMatchObject({ code: 'INVALID_ARG' })
  })

  test('a load without a name finds nothing', async () => {
    const server = await started({}, { modelControl: 'explicit' })
    const message = "failed to load '', failed to poll from model repository"
    await expect(server.load('')).rejects.toMatchObject({ code: 'INTERNAL', message })
  })

  test('load and unload need explicit control', async () => {
    const server = await started({ 'a/config.pbtxt': config(), 'a/1/': '' })
    const text = 'explicit model load / unload is not allowed if polling is enabled'
    await expect(server.load('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', message: text })
    await expect(server.unload('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', message: text })
  })

  test('a model in two repositories is not served', async () => {
    const one = await repository({ 'a/config.pbtxt': config(), 'a/1/': '' })
    const two = await repository({ 'a/config.pbtxt': config(), 'a/1/': '', 'b/config.pbtxt': config(), 'b/1/': '' })
    const server = new Server({ modelRepository: [one.path, two.path], backends: [echoBackend()], exitOnError: false })
    cleanUp(() => server.stop())
    await server.start()
    expect(await server.index()).toEqual([
      { name: 'a', state: 'UNAVAILABLE', reason: 'model appears in two or more repositories' },
      { name: 'b', version: '1', state: 'READY' },
    ])
  })

  test('a repository that is not there is named', async () => {
    await expect(Server.start({ modelRepository: '/nowhere/models' })).rejects.toThrow(
      "repository path is not a valid directory: '/nowhere/models'",
    )
  })

  test.each([
    [1, 2, 'UNAVAILABLE'],
    [2, 3, 'READY'],
  ])('modelLoadRetryCount: %d, a load is tried %d times', async (modelLoadRetryCount, tries, state) => {
    const backend = echoBackend()
    const createModel = backend.createModel.bind(backend)
    let tried = 0
    backend.createModel = async (context) => {
      if (++tried < 3) throw new TritonError('INTERNAL', 'not yet')
      return createModel(context)
    }
    const files = { 'm/config.pbtxt': config(), 'm/1/': '' }
    const server = await started(files, { backends: [backend], modelLoadRetryCount, exitOnError: false })
    expect(tried).toBe(tries)
    expect(await server.index()).toMatchObject([{ name: 'm', state }])
  })

  test('a backend gets the settings for all backends and its own, which come first', async () => {
    const backend = echoBackend()
    const createModel = backend.createModel.bind(backend)
    const seen: unknown[] = []
    backend.createModel = async (context) => {
      seen.push(context.backendConfig)
      return createModel(context)
    }
    const backendConfig = { '': { a: 'all', b: 'all' }, identity: { b: 'own' }, other: { c: 'other' } }
    await started({ 'm/config.pbtxt': config(), 'm/1/': '' }, { backends: [backend], backendConfig })
    expect(seen).toEqual([{ a: 'all', b: 'own' }])
  })

  test('readiness asks the instances', async () => {
    const { server, backend } = await withManual()
    expect(await server.model('m').isReady()).toBe(true)
    backend.ready = false
    expect(await server.model('m').isReady()).toBe(false)
    expect(await server.isReady()).toBe(false)
    expect(await server.model('nope').isReady()).toBe(false)
  })

  test('an aborted load is given up and gives back what it made', async () => {
    const abort = new AbortController()
    const backend = manualBackend()
    const createModel = backend.createModel.bind(backend)
    backend.createModel = async (model) => {
      abort.abort()
      const made = await createModel(model)
      return {
        ...made,
        createInstance: async ({ signal }) =>
          Promise.reject(new TritonError('CANCELLED', `aborted: ${signal.aborted}`)),
      }
    }
    const server = await started(
      { 'm/config.pbtxt': manual(), 'm/1/': '' },
      { backends: [backend], modelControl: 'explicit' },
    )
    await expect(server.load('m', { signal: abort.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(backend.log).toEqual(['model m 1', 'dispose m 1'])
  })

  test('events tell what became of models', async () => {
    const { path } = await repository({ 'a/config.pbtxt': config(), 'a/1/': '', 'b/config.pbtxt': 'x', 'b/1/': '' })
    const server = new Server({ modelRepository: path, backends: [echoBackend()], exitOnError: false })
    const events: string[] = []
    server.on('modelReady', ({ name, version }) => events.push(`${name} ${version} ready`))
    server.on('modelUnavailable', ({ name, version }) => events.push(`${name} ${version} unavailable`))
    server.on('stateChange', (state) => events.push(state))
    await server.start()
    await server.stop()
    expect(events.sort()).toEqual([
      'a 1 ready',
      'a 1 unavailable',
      'b undefined unavailable',
      'exiting',
      'ready',
      'starting',
      'stopped',
    ])
  })
})
