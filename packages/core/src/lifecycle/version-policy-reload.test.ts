import { setImmediate } from 'node:timers/promises'
import { manualBackend, type RepositoryFiles } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { answer, cleanUp, input, manual, repository } from '../fixtures/server-rig.ts'
import { Server } from '../index.ts'

/** A Server whose model `m` has the versions 1 to 4 in its repository. */
async function serve(policy: string) {
  const directories = Object.fromEntries([1, 2, 3, 4].map((version) => [`m/${version}/model`, '']))
  const files = await repository({ ...directories, 'm/config.pbtxt': manual(policy) })
  const backend = manualBackend()
  const server = new Server({ modelRepository: files.path, backends: [backend], modelControl: 'explicit' })
  cleanUp(() => server.stop().catch(() => {}))
  await server.start()
  await server.load('m')
  /** Loads the model with other files; the models that were opened and disposed meanwhile. */
  const update = async (changed: RepositoryFiles): Promise<string[]> => {
    const before = backend.log.length
    await files.write(changed)
    await server.load('m')
    await setImmediate()
    const log = backend.log.slice(before)
    return log.filter((line) => / m \d$|^model/.test(line)).sort()
  }
  return { server, backend, update, choose: (chosen: string) => update({ 'm/config.pbtxt': manual(chosen) }) }
}

const latest = (count: number) => `version_policy { latest { num_versions: ${count} } }`
const specific = (versions: string) => `version_policy { specific { versions: [ ${versions} ] } }`

test('a policy that a load changes adds and removes the versions that differ, and no other', async () => {
  const { server, backend, choose } = await serve(latest(1))
  const versions = () => server.model('m').metadata().versions
  expect([backend.log, versions()]).toEqual([['model m 4', 'instance m_0_0'], ['4']])
  expect([await choose(latest(2)), versions()]).toEqual([['model m 3'], ['3', '4']])
  expect([await choose(specific('1, 3')), versions()]).toEqual([
    ['dispose m 4', 'model m 1'],
    ['1', '3'],
  ])
  expect(server.model('m').version).toBe(3)
  expect([await choose('version_policy { all {} }'), versions()]).toEqual([
    ['model m 2', 'model m 4'],
    ['1', '2', '3', '4'],
  ])
  expect([await choose(latest(1)), versions()]).toEqual([['dispose m 1', 'dispose m 2', 'dispose m 3'], ['4']])
  expect(await server.index()).toEqual([
    ...['1', '2', '3'].map((version) => ({ name: 'm', version, state: 'UNAVAILABLE', reason: 'unloaded' })),
    { name: 'm', version: '4', state: 'READY' },
  ])
  expect(await server.isReady()).toBe(true)
})

test('a new version directory takes the place of the oldest, whose requests end where they are', async () => {
  const { server, backend, update } = await serve(latest(2))
  const running = server.model('m', 3).infer(input())
  const { requests, finish } = await backend.next()
  expect(await update({ 'm/5/model': '' })).toEqual(['model m 5'])
  expect(server.model('m').metadata().versions).toEqual(['4', '5'])
  expect(await server.index()).toContainEqual({ name: 'm', version: '3', state: 'UNLOADING' })
  await expect(server.model('m', 3).infer(input())).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: "Request for unknown model: 'm' version 3 is not at ready state",
  })
  for (const request of requests) request.respond(answer)
  finish()
  expect(await running).toHaveProperty('OUT')
  await setImmediate()
  expect(backend.log.at(-1)).toBe('dispose m 3')
  expect(await server.index()).toContainEqual({ name: 'm', version: '3', state: 'UNAVAILABLE', reason: 'unloaded' })
})

test('one of two versions that cannot be loaded keeps all as it was', async () => {
  const { server, backend, choose } = await serve(latest(1))
  const createModel = backend.createModel.bind(backend)
  backend.createModel = async (context) => {
    if (context.version === 2) throw new Error('broken')
    return createModel(context)
  }
  await expect(choose(specific('2, 3'))).rejects.toThrow(
    "load failed for model 'm': version 2 is at UNAVAILABLE state: Internal: broken;\n",
  )
  await setImmediate()
  expect(server.model('m').metadata().versions).toEqual(['4'])
  expect(backend.log.at(-1)).toBe('dispose m 3')
  expect(await server.index()).toEqual([
    { name: 'm', version: '2', state: 'UNAVAILABLE', reason: 'Internal: broken' },
    { name: 'm', version: '3', state: 'UNAVAILABLE', reason: 'unloaded' },
    { name: 'm', version: '4', state: 'READY' },
  ])
  expect(await server.isReady()).toBe(false)
})
