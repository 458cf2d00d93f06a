import { rename } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { RepositoryFiles } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { cleanUp, config, repository } from '../fixtures/server-rig.ts'
import { tellingBackend } from '../fixtures/telling-backend.ts'
import { Server, type ServerOptions } from '../index.ts'

/** A model whose only version tells which directory it came from. */
const model = (name: string, version: number, named = name): RepositoryFiles => ({
  [`${name}/config.pbtxt`]: `name: "${named}" ${config()}`,
  [`${name}/${version}/`]: '',
})

/** A Server in explicit mode over an empty repository, and beside it one with model_0, and one with model_0 and model_1. */
async function rig(options: ServerOptions = {}) {
  const [empty, first, second] = [
    (await repository({})).path,
    (await repository(model('model_0', 1))).path,
    (await repository({ ...model('model_0', 2), ...model('model_1', 3) })).path,
  ]
  const { backend } = tellingBackend(() => 1)
  const server = new Server({ modelRepository: empty, modelControl: 'explicit', backends: [backend], ...options })
  cleanUp(() => server.stop().catch(() => {}))
  await server.start()
  const versions = (name: string): string[] => server.model(name).metadata().versions.slice()
  return { server, empty, first, second, versions }
}

const notPolled = (name: string) => ({
  code: 'INTERNAL',
  message: `failed to load '${name}', failed to poll from model repository`,
})

describe('a repository that is registered', () => {
  test('has its models to load', async () => {
    const { server, first, versions } = await rig()
    await expect(server.load('model_0')).rejects.toMatchObject(notPolled('model_0'))
    await server.registerModelRepository(first)
    expect(await server.index()).toEqual([{ name: 'model_0' }])
    await server.load('model_0')
    expect(versions('model_0')).toEqual(['1'])
  })

  test('has to be a directory', async () => {
    const { server, first } = await rig()
    for (const path of ['unknown_repo', '', join(first, 'model_0/config.pbtxt')]) {
      await expect(server.registerModelRepository(path)).rejects.toMatchObject({
        code: 'INVALID_ARG',
        message: `failed to register '${path}', repository not found`,
      })
    }
  })

  test('is there once, also when it is registered twice at the same time', async () => {
    const { server, empty, first } = await rig()
    const twice = (path: string) => ({
      code: 'ALREADY_EXISTS',
      message: `model repository '${path}' has already been registered`,
    })
    await expect(server.registerModelRepository(empty)).rejects.toMatchObject(twice(empty))
    const results = await Promise.allSettled([1, 2, 3].map(() => server.registerModelRepository(first)))
    const failed = results.filter((result) => result.status === 'rejected')
    expect(failed.map(({ reason }) => reason)).toMatchObject([twice(first), twice(first)])
    await server.load('model_0')
  })

  test('may have a path from the working directory; the same directory under two paths has every model twice', async () => {
    const { server, first, versions } = await rig()
    const path = relative(process.cwd(), first)
    await server.registerModelRepository(path)
    await server.load('model_0')
    expect(versions('model_0')).toEqual(['1'])
    await server.registerModelRepository(first)
    const reason = 'model appears in two or more repositories'
    expect(await server.index()).toEqual([{ name: 'model_0', state: 'UNAVAILABLE', reason }])
    await server.unregisterModelRepository(path)
    expect(await server.index()).toEqual([{ name: 'model_0', version: '1', state: 'READY' }])
  })

  test('shares a name with another only until one of them goes', async () => {
    const { server, first, second, versions } = await rig()
    await server.registerModelRepository(first)
    await server.registerModelRepository(second)
    await expect(server.load('model_0')).rejects.toMatchObject(notPolled('model_0'))
    await server.load('model_1')
    await server.unregisterModelRepository(second)
    await server.load('model_0')
    expect([versions('model_0'), versions('model_1')]).toEqual([['1'], ['3']])
  })

  test.each([
    ['none', 'registration'],
    ['poll', 'unregistration'],
  ] as const)('is only for explicit mode: %s, %s', async (modelControl, what) => {
    const { server, empty } = await rig({ modelControl })
    const call = () =>
      what === 'registration' ? server.registerModelRepository(empty) : server.unregisterModelRepository(empty)
    await expect(call()).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: `repository ${what} is not allowed if model control mode is not EXPLICIT`,
    })
  })
})

describe('a mapping', () => {
  test('gives a directory another name, the only one', async () => {
    const { server, first, versions } = await rig()
    await server.registerModelRepository(first, { name_0: 'model_0' })
    await expect(server.load('model_0')).rejects.toMatchObject(notPolled('model_0'))
    expect(await server.index()).toEqual([{ name: 'name_0' }])
    await server.load('name_0')
    expect(await server.index({ ready: true })).toEqual([{ name: 'name_0', version: '1', state: 'READY' }])
    expect(versions('name_0')).toEqual(['1'])
    expect(server.model('name_0').config.name).toBe('name_0')
  })

  test('may give a directory two names, and both are models', async () => {
    const { server, first, versions } = await rig()
    await server.registerModelRepository(first, { name_0: 'model_0', name_1: 'model_0' })
    await server.load('name_0')
    await server.load('name_1')
    expect([versions('name_0'), versions('name_1')]).toEqual([['1'], ['1']])
  })

  test('goes before a directory of that name, in the same repository or in another', async () => {
    const { server, first, second, versions } = await rig()
    await server.registerModelRepository(second, { model_1: 'model_0' })
    await server.load('model_1')
    expect(versions('model_1')).toEqual(['2'])
    await server.unload('model_1')
    await server.unregisterModelRepository(second)
    await server.registerModelRepository(first, { model_0: 'model_0' })
    await server.registerModelRepository(second)
    await server.load('model_0')
    await server.load('model_1')
    expect([versions('model_0'), versions('model_1')]).toEqual([['1'], ['3']])
    expect((await server.index({ ready: true })).map(({ name }) => name)).toEqual(['model_0', 'model_1'])
  })

  test('keeps apart what has one name in two repositories', async () => {
    const { server, first, second, versions } = await rig()
    await server.registerModelRepository(first, { name_0: 'model_0' })
    await server.registerModelRepository(second, { name_1: 'model_0' })
    for (const name of ['name_0', 'name_1', 'model_1']) await server.load(name)
    expect([versions('name_0'), versions('name_1'), versions('model_1')]).toEqual([['1'], ['2'], ['3']])
  })

  test('cannot have a name that another has, and then nothing is registered', async () => {
    const { server, first, second } = await rig()
    await server.registerModelRepository(first, { name_0: 'model_0' })
    await expect(server.registerModelRepository(second, { name_0: 'model_1' })).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
      message: "failed to register 'name_0', there is a conflicting mapping for 'name_0'",
    })
    await expect(server.load('model_1')).rejects.toMatchObject(notPolled('model_1'))
    await expect(server.unregisterModelRepository(second)).rejects.toMatchObject({ code: 'INVALID_ARG' })
  })

  test('of a directory that is not there has nothing to load until it comes', async () => {
    const { server, first, versions } = await rig()
    await server.registerModelRepository(first, { name_0: 'later' })
    expect(await server.index()).toEqual([{ name: 'model_0' }])
    await expect(server.load('name_0')).rejects.toMatchObject(notPolled('name_0'))
    await rename(join(first, 'model_0'), join(first, 'later'))
    await server.load('name_0')
    expect(versions('name_0')).toEqual(['1'])
  })

  test.each([
    [{ 'a/b': 'model_0' }, 'a/b'],
    [{ '': 'model_0' }, undefined],
    [{ name_0: '../model_0' }, '../model_0'],
    [{ name_0: '' }, undefined],
  ])('%j is none', async (mapping, name) => {
    const { server, first } = await rig()
    await expect(server.registerModelRepository(first, mapping)).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message:
        name === undefined
          ? 'Model name cannot be empty. Please enter a valid name to deploy.'
          : `invalid model name '${name}', model name must not contain path traversal characters`,
    })
    await server.registerModelRepository(first)
  })

  test('with namespaces means its own repository as well, and an id every other', async () => {
    const { server, first, second, versions } = await rig({ modelNamespacing: true })
    await server.registerModelRepository(first, { model_0: 'model_0' })
    await server.registerModelRepository(second)
    await server.load('model_0')
    expect(versions('model_0')).toEqual(['1'])
    await server.load(`${second}::model_0`)
    expect(versions(`${second}::model_0`)).toEqual(['2'])
  })

  test('changes when the repository is registered anew; what was loaded stays', async () => {
    const { server, first, versions } = await rig()
    await server.registerModelRepository(first)
    await server.load('model_0')
    await server.unregisterModelRepository(first)
    await server.registerModelRepository(first, { name_0: 'model_0' })
    await expect(server.load('model_0')).rejects.toMatchObject(notPolled('model_0'))
    await server.load('name_0')
    expect([versions('name_0'), versions('model_0')]).toEqual([['1'], ['1']])
  })
})

describe('a repository that is unregistered', () => {
  test('leaves its models as they are, and they can be unloaded', async () => {
    const { server, first, versions } = await rig()
    await server.registerModelRepository(first)
    await server.load('model_0')
    await server.unregisterModelRepository(first)
    expect(versions('model_0')).toEqual(['1'])
    expect(await server.index()).toEqual([])
    await expect(server.load('model_0')).rejects.toMatchObject(notPolled('model_0'))
    expect(versions('model_0')).toEqual(['1'])
    await server.unload('model_0')
    await expect(server.model('model_0').isReady()).resolves.toBe(false)
  })

  test('with namespaces leaves them, too, and their ids are known', async () => {
    const { server, first, versions } = await rig({ modelNamespacing: true })
    await server.registerModelRepository(first)
    await server.load('model_0')
    await server.unregisterModelRepository(first)
    expect([versions('model_0'), versions(`${first}::model_0`)]).toEqual([['1'], ['1']])
    await expect(server.load('model_0')).rejects.toMatchObject(notPolled('model_0'))
    await expect(server.load(`${first}::model_0`)).rejects.toMatchObject(notPolled(`${first}::model_0`))
    await server.unload(`${first}::model_0`)
    expect(await server.model('model_0').isReady()).toBe(false)
  })

  test('is gone: a second time is an error, and it may come back', async () => {
    const { server, empty, first } = await rig()
    const unknown = (path: string) => ({
      code: 'INVALID_ARG',
      message: `failed to unregister '${path}', repository not found`,
    })
    await expect(server.unregisterModelRepository('unknown_repo')).rejects.toMatchObject(unknown('unknown_repo'))
    await server.unregisterModelRepository(empty)
    await expect(server.unregisterModelRepository(empty)).rejects.toMatchObject(unknown(empty))
    for (const _ of [1, 2]) {
      await server.registerModelRepository(first)
      await server.unregisterModelRepository(first)
    }
  })
})

test('a Server that stops takes no further repository', async () => {
  const { server, first } = await rig()
  const registered = server.registerModelRepository(first)
  const stopped = server.stop()
  await Promise.allSettled([registered, stopped])
  await expect(server.registerModelRepository(first)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})
