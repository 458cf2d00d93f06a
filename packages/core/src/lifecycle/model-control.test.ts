import { type ManualBackend, manualBackend, type RepositoryFiles, type TemporaryRepository } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { answer, cleanUp, config, input, repository } from '../fixtures/server-rig.ts'
import { parseModelConfig, Server, type ServerOptions } from '../index.ts'
import { chain, models } from './fixtures/ensemble-config.ts'

interface Rig {
  readonly server: Server
  readonly backend: ManualBackend
  /** The repositories, in the order of their files. */
  readonly repositories: readonly TemporaryRepository[]
  versions(name: string): readonly string[]
  ready(): Promise<string[]>
}

/** A Server in explicit mode over one repository for each set of files. */
async function serve(options: ServerOptions, ...contents: RepositoryFiles[]): Promise<Rig> {
  const repositories = await Promise.all(contents.map(repository))
  const backend = manualBackend('identity')
  const server = new Server({
    modelRepository: repositories.map(({ path }) => path),
    modelControl: 'explicit',
    backends: [backend, manualBackend('other')],
    ...options,
  })
  cleanUp(() => server.stop().catch(() => {}))
  await server.start()
  return {
    server,
    backend,
    repositories,
    versions: (name) => server.model(name).metadata().versions,
    ready: async () => (await server.index({ ready: true })).map(({ name }) => name),
  }
}

/** A model with these versions. */
const versioned = (name: string, versions: readonly number[], more = ''): RepositoryFiles => ({
  [`${name}/config.pbtxt`]: config(more),
  ...Object.fromEntries(versions.map((version) => [`${name}/${version}/model`, 'one'])),
})

const all = 'version_policy { all {} }'

const notPolled = (name: string) => ({
  code: 'INTERNAL',
  message: `failed to load '${name}', failed to poll from model repository`,
})

test('mode none takes no notice of what comes to the repository and what goes', async () => {
  const { server, repositories, versions, ready } = await serve({ modelControl: 'none' }, versioned('a', [1, 2], all))
  await repositories[0]?.write({ ...versioned('b', [1]), 'a/3/model': '' })
  await repositories[0]?.remove('a/1')
  expect(versions('a')).toEqual(['1', '2'])
  expect(await ready()).toEqual(['a', 'a'])
  expect(await server.index()).toContainEqual({ name: 'b' })
  await repositories[0]?.remove('a')
  expect(versions('a')).toEqual(['1', '2'])
  expect(await server.isReady()).toBe(true)
})

describe('mode explicit', () => {
  test('starts with what it is told to load, and what ensembles among that need', async () => {
    const files = models({ a: config(), b: config(), c: config(), e: chain('a', 'b') })
    expect(await (await serve({ loadModels: ['e', 'e'] }, files)).ready()).toEqual(['a', 'b', 'e'])
    expect(await (await serve({ loadModels: ['*'] }, files)).ready()).toEqual(['a', 'b', 'c', 'e'])
    expect(await (await serve({}, files)).ready()).toEqual([])
  })

  test('does not start without a model that it is told to load, but for exitOnError: false', async () => {
    const files = models({ a: config() })
    await expect(serve({ loadModels: ['a', 'nowhere'] }, files)).rejects.toMatchObject({
      message: "failed to load all models\n'nowhere': model 'nowhere' is not in any model repository",
    })
    const { server, ready } = await serve({ loadModels: ['a', 'nowhere'], exitOnError: false }, files)
    expect(await ready()).toEqual(['a'])
    expect(await server.isReady()).toBe(true)
  })

  test('keeps a model that comes to be in a second repository, and takes it from there when the first has it no more', async () => {
    const { server, repositories, versions } = await serve({}, versioned('a', [1]), {})
    await server.load('a')
    await repositories[1]?.write(versioned('a', [1, 3]))
    await expect(server.load('a')).rejects.toMatchObject(notPolled('a'))
    expect(versions('a')).toEqual(['1'])
    const reason = 'model appears in two or more repositories'
    expect(await server.index()).toEqual([{ name: 'a', state: 'UNAVAILABLE', reason }])
    await repositories[0]?.remove('a')
    await server.load('a')
    expect(versions('a')).toEqual(['3'])
  })

  test('a repository that is named twice is one', async () => {
    const { path } = await repository(versioned('a', [1]))
    const { server, versions } = await serve({ modelRepository: [path, path] })
    await server.load('a')
    expect(versions('a')).toEqual(['1'])
  })

  test('a configuration file that goes leaves the default version policy', async () => {
    const { server, repositories, versions } = await serve({}, versioned('a', [1, 3], all))
    await server.load('a')
    expect(versions('a')).toEqual(['1', '3'])
    await repositories[0]?.write({ 'a/config.pbtxt': config() })
    await server.load('a')
    expect(versions('a')).toEqual(['3'])
    await expect(server.infer('a', {}, { version: 1 })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: "Request for unknown model: 'a' version 1 is not at ready state",
    })
  })

  test('another backend of the same model takes over', async () => {
    const { server, backend, repositories } = await serve({}, versioned('a', [1]))
    await server.load('a')
    await repositories[0]?.write({ 'a/config.pbtxt': config().replace('identity', 'other') })
    await server.load('a')
    expect(server.model('a').config.backend).toBe('other')
    expect(backend.log).toContain('dispose a 1')
  })

  test('an ensemble that was unloaded does not come back with its step', async () => {
    const { server, ready } = await serve({}, models({ a: config(), e: chain('a', 'a') }))
    await server.load('e')
    await server.unload('a')
    expect(await ready()).toEqual([])
    await server.unload('e')
    await server.load('a')
    expect(await ready()).toEqual(['a'])
    await server.unload('no such model')
  })

  test('a model that was unloaded begins anew, its statistics too', async () => {
    const { server, backend } = await serve({}, versioned('a', [1]))
    await server.load('a')
    const answered = server.infer('a', input())
    const { requests, finish } = await backend.next()
    for (const request of requests) request.respond(answer)
    finish()
    await answered
    expect(server.statistics('a')).toMatchObject([{ inferenceCount: 1 }])
    await server.unload('a')
    expect(() => server.statistics('a')).toThrow("requested model 'a' is not available")
    await server.load('a')
    expect(server.statistics('a')).toMatchObject([{ inferenceCount: 0 }])
  })

  test('a load that fails does so every time', async () => {
    const { server } = await serve({}, models({ a: config().replace('identity', 'nowhere') }))
    for (const _ of [1, 2]) {
      await expect(server.load('a')).rejects.toThrow(/^load failed for model 'a': version 1 is at UNAVAILABLE state: /)
    }
    expect(await server.isReady()).toBe(false)
    await server.unload('a')
    expect(await server.isReady()).toBe(true)
  })

  test.each(['nonsense: 1', config('version_policy { specific { versions: [7] } }')])(
    'a model without any version keeps the Server from being ready until it is unloaded: %s',
    async (broken) => {
      const { server } = await serve({}, models({ a: broken }))
      await expect(server.load('a')).rejects.toThrow(/^(load failed for model|failed to load) 'a'/)
      expect(await server.isReady()).toBe(false)
      await server.unload('a')
      expect(await server.isReady()).toBe(true)
    },
  )
})

describe('versions', () => {
  test('only those come up anew whose files have changed, and all when another file has', async () => {
    const { server, backend, repositories, versions } = await serve({}, versioned('a', [1, 2, 3], policy(1, 2)))
    const loads = async (): Promise<string[]> => {
      const before = backend.log.length
      await server.load('a')
      return backend.log.slice(before).filter((line) => line.startsWith('model '))
    }
    const write = (files: RepositoryFiles) => repositories[0]?.write(files)
    expect(await loads()).toEqual(['model a 1', 'model a 2'])
    await write({ 'a/2/model': 'changed', 'a/4/model': '', 'a/config.pbtxt': config(policy(1, 2, 3, 4)) })
    expect(await loads()).toEqual(['model a 2', 'model a 3', 'model a 4'])
    await write({ 'a/labels': '' })
    expect(await loads()).toEqual(['model a 1', 'model a 2', 'model a 3', 'model a 4'])
    await write({ 'a/config.pbtxt': config(policy(4)) })
    expect(await loads()).toEqual([])
    expect(versions('a')).toEqual(['4'])
    await write({ 'a/config.pbtxt': config(policy(1, 4)) })
    expect(await loads()).toEqual(['model a 1'])
    expect(versions('a')).toEqual(['1', '4'])
  })
})

describe('overrides', () => {
  const override = (more = '') => parseModelConfig(config(more)).config

  test('a configuration stays until its file changes or the model is unloaded', async () => {
    const { server, repositories, versions } = await serve({}, versioned('a', [2], policy(1, 3)))
    const none = 'at least one version must be available under the version policy'
    await expect(server.load('a')).rejects.toThrow(none)
    await server.load('a', { config: override() })
    expect(versions('a')).toEqual(['2'])
    await server.load('a')
    expect(versions('a')).toEqual(['2'])
    await repositories[0]?.write({ 'a/config.pbtxt': config(`${policy(2)} ${batching}`) })
    await server.load('a')
    expect(server.model('a').config.dynamicBatching).toBeDefined()
    await server.load('a', { config: override() })
    expect(server.model('a').config.dynamicBatching).toBeUndefined()
    await server.unload('a')
    await server.load('a')
    expect(server.model('a').config.dynamicBatching).toBeDefined()
  })

  test('files are a model of any name, in place of its directory until it is unloaded', async () => {
    const { server, versions } = await serve({}, versioned('a', [2, 3]))
    const files = { '1/model': new Uint8Array([1]) }
    await server.load('a')
    await expect(server.load('a', { files })).rejects.toMatchObject({
      ...notPolled('a'),
      cause: { code: 'INVALID_ARG', message: "Load parameter 'config' must be specified for model file override" },
    })
    expect(versions('a')).toEqual(['3'])
    await server.load('new', { files, config: override() })
    expect([versions('a'), versions('new')]).toEqual([['3'], ['1']])
    await server.load('a', { files, config: override() })
    expect(versions('a')).toEqual(['1'])
    await server.unload('a')
    await server.load('a')
    expect([versions('a'), versions('new')]).toEqual([['3'], ['1']])
  })

  test.each(['../x', '1/../../x', '', '.', '/', '/../x', '../../../../tmp/x', 'a\0b'])('no file %j', async (path) => {
    const { server } = await serve({}, {})
    const files = { '1/model': new Uint8Array(), [path]: new Uint8Array() }
    await expect(server.load('a', { files, config: override() })).rejects.toMatchObject({
      ...notPolled('a'),
      cause: {
        code: 'INVALID_ARG',
        message: expect.stringMatching(
          /^Invalid file parameter 'file:.*' with normalized path '.*' must stay within model directory\.$/s,
        ),
      },
    })
  })

  test('a path that begins with a slash is one in the directory', async () => {
    const { server, versions } = await serve({}, {})
    await server.load('a', { files: { '//7/model': new Uint8Array() }, config: override() })
    expect(versions('a')).toEqual(['7'])
  })
})

describe('modelConfigName', () => {
  const custom = (text: string): RepositoryFiles => ({ 'a/configs/mine.pbtxt': text })

  test('chooses another configuration, which may come and go', async () => {
    const options = { modelControl: 'poll', repositoryPollSecs: 0, repositorySettleSecs: 0 } as const
    const { server, repositories, versions } = await serve(
      { ...options, modelConfigName: 'mine' },
      versioned('a', [1, 2, 3], policy(1, 3)),
    )
    expect(versions('a')).toEqual(['1', '3'])
    await repositories[0]?.write(custom(config(policy(2))))
    await server.poll()
    expect(versions('a')).toEqual(['2'])
    await repositories[0]?.remove('a/configs')
    await server.poll()
    expect(versions('a')).toEqual(['1', '3'])
  })
})

const batching = 'dynamic_batching {}'

function policy(...versions: number[]): string {
  return `version_policy { specific { versions: [${versions}] } }`
}
