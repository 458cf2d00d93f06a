import { mkdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { config, repository } from '../fixtures/server-rig.ts'
import { polling, pollingOf } from './fixtures/polling.ts'

const model = (name: string, more = ''): Record<string, string> => ({
  [`${name}/config.pbtxt`]: config(more),
  [`${name}/1/model`]: 'one',
})

test('what a repository had that disappears serves on, and is looked at again when it is back', async () => {
  const parent = await repository({ 'first/m/config.pbtxt': config(), 'first/m/1/model': 'one' })
  const second = await repository(model('other'))
  const first = join(parent.path, 'first')
  const { poll, states, server, log, done } = await pollingOf([first, second.path])
  await rename(first, `${first}.away`)
  await second.write(model('new'))
  done()
  await poll()
  expect(done()).toEqual(['model new 1', 'instance new_0'])
  expect(server.model('m').version).toBe(1)
  expect(log.at(0)).toBeDefined()
  const why = `repository path is not a valid directory: '${first}'`
  const failure = `error failed to poll model repository '${first}'; its models stay as they are: ${why}`
  expect(log).toContain(failure)
  await expect(server.index()).rejects.toThrow(why)
  // A model of the other repository that has the name of one that may be there is not loaded in its place.
  await second.write(model('m'))
  await poll()
  expect(done()).toEqual([])
  await second.remove('m')
  await rename(`${first}.away`, first)
  await parent.write({ 'first/m/2/model': 'two' })
  await poll()
  expect(await states()).toEqual({ m: '1:UNAVAILABLE (unloaded) 2:READY', new: '1:READY', other: '1:READY' })
  expect(log.filter((line) => line === failure)).toHaveLength(1)
  expect(log).toContain(`info model repository '${first}' can be read again`)
})

test('a model that cannot be read serves on, and is told at every look until it can be', async () => {
  const { poll, states, repository, log } = await polling({ ...model('m'), ...model('other') })
  const path = join(repository.path, 'm')
  await rename(path, `${path}.aside`)
  await symlink(`/${'x'.repeat(300)}`, path)
  await repository.remove('m.aside/config.pbtxt')
  await poll()
  expect((await states()).m).toBe('1:READY')
  expect(log.join('\n')).toContain(`Poll failed for model 'm': failed to read model directory ${path}: ENAMETOOLONG`)
  await repository.remove('m')
  await repository.remove('m.aside')
  await repository.write(model('m', 'dynamic_batching {}'))
  await poll()
  expect(await states()).toEqual({ m: '1:READY', other: '1:READY' })
})

test('a model whose directory goes while it loads is unloaded at the next look', async () => {
  const { poll, states, repository, backend, server } = await polling({})
  const createModel = backend.createModel.bind(backend)
  backend.createModel = async (context) => {
    await repository.remove(context.name)
    if (context.name === 'fails') throw new Error('there is no file')
    return createModel(context)
  }
  await repository.write({ ...model('m'), ...model('fails') })
  await poll()
  expect(server.model('m').version).toBe(1)
  expect(await states()).toEqual({})
  await poll()
  expect(() => server.model('m').version).toThrow('no available versions')
  expect(backend.log.at(-1)).toBe('dispose m 1')
  expect(await server.isReady()).toBe(true)
})

test('links that lead out of the repository and back into it', async () => {
  const elsewhere = await repository({ ...model('model'), 'weights/model': 'shared' })
  const { poll, states, done, repository: own } = await polling({ 'm/config.pbtxt': config() }, { exitOnError: false })
  await symlink(join(elsewhere.path, 'weights'), join(own.path, 'm/1'))
  await symlink('..', join(own.path, 'm/back'))
  await symlink(join(elsewhere.path, 'model'), join(own.path, 'linked'))
  await poll()
  expect(await states()).toEqual({ linked: '1:READY', m: '1:READY' })
  done()
  await elsewhere.write({ 'weights/model': 'shared and changed' })
  await poll()
  expect(done()).toEqual(['model m 1', 'instance m_0', 'dispose m_0', 'dispose m 1'])
})

test('a volume of Kubernetes that is exchanged is one change', async () => {
  const {
    poll,
    server,
    done,
    repository: own,
  } = await polling({ 'm/..1/config.pbtxt': config(), 'm/..1/one': '1' }, { exitOnError: false })
  const path = join(own.path, 'm')
  await mkdir(join(path, '1'))
  await symlink('..1', join(path, '..data'))
  await symlink('..data/config.pbtxt', join(path, 'config.pbtxt'))
  await symlink('../..data/one', join(path, '1/model'))
  await poll()
  done()
  await own.write({ 'm/..2/config.pbtxt': config('dynamic_batching {}'), 'm/..2/one': '1' })
  await poll()
  expect(done()).toEqual([])
  await symlink('..2', join(path, '..new'))
  await rename(join(path, '..new'), join(path, '..data'))
  await own.remove('m/..1')
  await poll()
  expect(done()).toEqual(['model m 1', 'instance m_0', 'dispose m_0', 'dispose m 1'])
  expect(server.model('m').config.dynamicBatching).toBeDefined()
})
