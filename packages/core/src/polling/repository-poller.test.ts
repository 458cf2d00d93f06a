import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { config, repository, started } from '../fixtures/server-rig.ts'
import { chain, models } from '../lifecycle/fixtures/ensemble-config.ts'
import { polling, pollingOf, until } from './fixtures/polling.ts'

const model = (name: string, more = ''): Record<string, string> => ({
  [`${name}/config.pbtxt`]: config(more),
  [`${name}/1/model`]: 'one',
})

const both = 'version_policy: { all: {} }'

describe('what a poll finds', () => {
  test('nothing new: nothing is done', async () => {
    const { poll, done, states, log } = await polling(model('m'))
    done()
    log.length = 0
    await poll()
    expect([done(), log]).toEqual([[], []])
    expect(await states()).toEqual({ m: '1:READY' })
  })

  test('a new model, a changed one and one that is gone', async () => {
    const { poll, done, states, repository, server } = await polling({ ...model('changed'), ...model('gone') })
    done()
    await repository.write({ ...model('new'), 'changed/labels.txt': 'a' })
    await repository.remove('gone')
    await poll()
    expect(done().sort()).toEqual([
      'dispose changed 1',
      'dispose changed_0',
      'dispose gone 1',
      'dispose gone_0',
      'instance changed_0',
      'instance new_0',
      'model changed 1',
      'model new 1',
    ])
    expect(await states()).toEqual({ changed: '1:READY', new: '1:READY' })
    expect(() => server.model('gone').config).toThrow("'gone' has no available versions")
  })

  test.each([
    ['added', { 'm/2/model': 'two' }, undefined, ['model m 2', 'instance m_0'], '1:READY 2:READY 3:READY'],
    [
      'changed',
      { 'm/3/model': 'three, longer' },
      undefined,
      ['model m 3', 'instance m_0', 'dispose m_0', 'dispose m 3'],
      '1:READY 3:READY',
    ],
    ['removed', {}, 'm/3', ['dispose m_0', 'dispose m 3'], '1:READY 3:UNAVAILABLE (unloaded)'],
  ])('a version that is %s: only that one is touched', async (_, write, remove, actions, result) => {
    const { poll, done, states, repository, log } = await polling({ ...model('m', both), 'm/3/model': 'three' })
    done()
    log.length = 0
    await repository.write(write)
    if (remove !== undefined) await repository.remove(remove)
    await poll()
    expect(done()).toEqual(actions)
    expect(await states()).toEqual({ m: result })
    expect(log.join('\n')).not.toContain("'m' version 1")
  })

  test('another version policy: what it adds is loaded, what it leaves out goes', async () => {
    const files = { ...model('m', 'version_policy: { specific: { versions: [1, 2] } }'), 'm/2/': '', 'm/3/': '' }
    const { poll, done, states, repository } = await polling(files)
    done()
    await repository.write({ 'm/config.pbtxt': config('version_policy: { latest: { num_versions: 2 } }') })
    await poll()
    expect(done()).toEqual(['model m 3', 'instance m_0', 'dispose m_0', 'dispose m 1'])
    expect(await states()).toEqual({ m: '1:UNAVAILABLE (unloaded) 2:READY 3:READY' })
  })

  test('other instance groups: the version stays, and gets other instances', async () => {
    const { poll, done, repository, server } = await polling(model('m'))
    done()
    const updated: number[] = []
    server.on('modelUpdated', ({ version }) => updated.push(version))
    await repository.write({ 'm/config.pbtxt': config('instance_group { kind: KIND_CPU count: 2 }') })
    await poll()
    expect(done()).toEqual(['instance m_0_1'])
    expect(updated).toEqual([1])
    expect(server.model('m').config.instanceGroup[0]?.count).toBe(2)
  })

  test('a name that comes to be in two repositories is unloaded until one of them is gone', async () => {
    const first = await repository(model('m'))
    const second = await repository({})
    const { poll, states, log } = await pollingOf([first.path, second.path])
    await second.write(model('m'))
    await poll()
    const text = 'model appears in two or more repositories'
    expect(await states()).toEqual({ m: `-:UNAVAILABLE (${text})` })
    await poll()
    const told = "error failed to poll model 'm': not unique across all model repositories"
    expect(log.filter((line) => line === told)).toHaveLength(1)
    await first.remove('m')
    await poll()
    expect(await states()).toEqual({ m: '1:READY' })
  })
})

describe('models that are being copied', () => {
  test('a file that grows', async () => {
    const { poll, pollDuring, done, states, repository, log } = await polling({})
    await repository.write(model('m'))
    await pollDuring(() => repository.write({ 'm/1/model': 'one and' }))
    await pollDuring(() => repository.write({ 'm/1/model': 'one and more' }))
    expect(done()).toEqual([])
    expect(await states()).toEqual({ m: '-:UNKNOWN' })
    expect(log).toContain("info model 'm' is still changing; it is loaded when it stays as it is")
    await poll()
    expect(done()).toEqual(['model m 1', 'instance m_0'])
  })

  test('one that serves goes on while its new files come', async () => {
    const { poll, pollDuring, done, states, repository } = await polling(model('m'))
    done()
    await repository.write({ 'm/2/model': 't' })
    await pollDuring(() => repository.write({ 'm/2/model': 'two' }))
    expect(done()).toEqual([])
    expect(await states()).toEqual({ m: '1:READY' })
    await poll()
    expect(await states()).toEqual({ m: '1:UNAVAILABLE (unloaded) 2:READY' })
  })

  test('what has been as it is for long enough needs no pause', async () => {
    const { pollDuring, server, states, repository, clock } = await polling({})
    await repository.write(model('m'))
    await pollDuring(() => repository.write({ 'm/1/model': 'one and more' }))
    await clock.advance(1000)
    // From here on the time stands still.
    await server.poll()
    expect(await states()).toEqual({ m: '1:READY' })
  })

  test('a version whose directory is there before its file', async () => {
    const { poll, states, repository, backend, log } = await polling(model('m'))
    const createModel = backend.createModel.bind(backend)
    backend.createModel = async (context) => {
      const { readFile } = await import('node:fs/promises')
      await readFile(join(context.versionDirectory, 'model'))
      return createModel(context)
    }
    await repository.write({ 'm/2/': '' })
    await poll()
    expect(await states()).toEqual({ m: expect.stringMatching(/^1:READY 2:UNAVAILABLE \(Internal: ENOENT/) })
    expect(log.join('\n')).toContain("failed to load 'm' version 2: ENOENT")
    await repository.write({ 'm/2/model': 'two' })
    await poll()
    expect(await states()).toEqual({ m: '1:UNAVAILABLE (unloaded) 2:READY' })
  })

  test('one that is renamed into place', async () => {
    const { poll, states, repository } = await polling({})
    const aside = await import('../fixtures/server-rig.ts').then((rig) => rig.repository(model('m')))
    await rename(join(aside.path, 'm'), join(repository.path, 'm'))
    await poll()
    expect(await states()).toEqual({ m: '1:READY' })
  })

  test('an ensemble does not bring up a step that is still being copied', async () => {
    const { poll, pollDuring, done, states, repository } = await polling({})
    await repository.write({ ...model('step'), ...models({ pipe: chain('step') }) })
    await pollDuring(() => repository.write({ 'step/1/model': 'one and more' }))
    expect(done()).toEqual([])
    expect((await states()).step).toBe('-:UNKNOWN')
    await poll()
    expect(done()).toEqual(['model step 1', 'instance step_0'])
    expect(await states()).toEqual({ pipe: '1:READY', step: '1:READY' })
  })

  test('one that goes while it is looked at', async () => {
    const { poll, pollDuring, states, repository, log } = await polling({})
    await repository.write(model('m'))
    await pollDuring(() => repository.remove('m'))
    expect(await states()).toEqual({})
    expect(log.filter((line) => line.startsWith('error'))).toEqual([])
    await poll()
  })
})

describe('loads that fail', () => {
  test('what served goes on, the log says why, and the next look tries again', async () => {
    const { poll, states, repository, log, server } = await polling(model('m'))
    const file = join(repository.path, 'm/config.pbtxt')
    await repository.write({ 'm/config.pbtxt': `${config()} nonsense: 1` })
    const told = (): number => log.filter((line) => line.includes(`Poll failed for model 'm': ${file}:4:`)).length
    for (const times of [1, 2]) {
      await poll()
      expect(told()).toBe(times)
    }
    expect(await states()).toEqual({ m: '1:READY' })
    expect(await server.isReady()).toBe(true)
    await repository.write({ 'm/config.pbtxt': config('dynamic_batching {}') })
    await poll()
    expect(server.model('m').config.dynamicBatching).toBeDefined()
  })

  test('a model that never could be read comes up when it is mended, and is no obstacle once it is gone', async () => {
    const broken = { 'a/config.pbtxt': 'nonsense', 'a/1/': '', 'b/config.pbtxt': 'nonsense', 'b/1/': '' }
    const { poll, states, repository, server } = await polling(broken, { exitOnError: false })
    await poll()
    expect(await server.isReady()).toBe(false)
    await repository.write(model('a'))
    await repository.remove('b')
    await poll()
    expect(await states()).toEqual({ a: '1:READY' })
    expect(await server.isReady()).toBe(true)
  })

  test('a model that could not be loaded is no obstacle once it is gone', async () => {
    const { poll, server, repository, log } = await polling({})
    await repository.write({
      'm/config.pbtxt': config().replace('identity', 'unknown'),
      'm/1/': '',
      'none/config.pbtxt': config(),
    })
    await poll()
    expect(await server.isReady()).toBe(false)
    const problem = "at least one version must be available under the version policy of model 'none'"
    expect(log).toContain(`error failed to load 'none': ${problem}`)
    await repository.remove('m')
    await repository.remove('none')
    await poll()
    expect(await server.isReady()).toBe(true)
  })
})

describe('ensembles', () => {
  test('go with their steps and come back with them, without an error when both go', async () => {
    const { poll, states, repository, log } = await polling({
      ...model('a'),
      ...model('b'),
      ...models({ pipe: chain('a', 'b') }),
    })
    expect(await states()).toEqual({ a: '1:READY', b: '1:READY', pipe: '1:READY' })
    await repository.remove('b')
    await poll()
    expect(await states()).toEqual({ a: '1:READY', pipe: '1:UNAVAILABLE (unloaded)' })
    await repository.write(model('b'))
    await poll()
    expect(await states()).toEqual({ a: '1:READY', b: '1:READY', pipe: '1:READY' })
    log.length = 0
    for (const name of ['a', 'b', 'pipe']) await repository.remove(name)
    await poll()
    expect(await states()).toEqual({})
    expect(log.filter((line) => line.startsWith('error'))).toEqual([])
  })

  test('whose steps are others now', async () => {
    const files = { ...model('a'), ...model('b'), ...models({ pipe: chain('a') }) }
    const { poll, server, repository, done } = await polling(files)
    done()
    await repository.write({ 'pipe/config.pbtxt': chain('a', 'b') })
    await poll()
    expect(server.model('pipe').config.ensembleScheduling?.step).toHaveLength(2)
    expect(done()).toEqual([])
  })

  test('in a circle are told, and come up when the circle is broken', async () => {
    const { poll, states, repository, log } = await polling(model('a'))
    await repository.write(models({ x: chain('y'), y: chain('x') }))
    await poll()
    expect(await states()).toEqual({ a: '1:READY', x: '-:UNKNOWN', y: '-:UNKNOWN' })
    expect(log.join('\n')).toMatch(/circular dependency/)
    await repository.write({ 'y/config.pbtxt': chain('a') })
    await poll()
    expect(await states()).toEqual({ a: '1:READY', x: '1:READY', y: '1:READY' })
  })
})

describe('when it looks', () => {
  test('right after the start, and then an interval after the end of each look', async () => {
    const { clock, states, repository, done } = await polling({}, { repositoryPollSecs: 15, repositorySettleSecs: 0 })
    await repository.write(model('m'))
    const loaded = (): boolean => {
      void clock.advance(0)
      return done().length > 0
    }
    await until(loaded)
    expect(await states()).toEqual({ m: '1:READY' })
    await repository.write({ 'm/labels.txt': 'a' })
    await clock.advance(14_000)
    expect(done()).toEqual([])
    await clock.advance(1000)
    await until(loaded)
  })

  test('calls during a look are one further look, which sees what was there when they were made', async () => {
    const { server, repository, clock, states, poll } = await polling({})
    const first = server.poll()
    await repository.write(model('m'))
    const [second, third] = [server.poll(), server.poll()]
    expect(second).not.toBe(first)
    await Promise.all([poll(), first, second, third])
    expect(clock.timers).toBe(0)
    expect(await states()).toEqual({ m: '1:READY' })
  })

  test.each(['none', 'explicit'] as const)('not with modelControl %s', async (modelControl) => {
    const server = await started({}, { modelControl })
    await expect(server.poll()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'polling is disabled' })
  })

  test('load and unload are refused', async () => {
    const { server } = await polling(model('m'))
    const refusal = {
      code: 'UNAVAILABLE',
      message: 'explicit model load / unload is not allowed if polling is enabled',
    }
    await expect(server.load('m')).rejects.toMatchObject(refusal)
    await expect(server.unload('m')).rejects.toMatchObject(refusal)
  })
})

describe('stop', () => {
  const givenUp = { code: 'CANCELLED', message: 'the look at the repositories was given up' }

  test('during a pause gives the look up', async () => {
    const { server, repository, pollDuring, clock } = await polling({})
    await repository.write(model('m'))
    await expect(pollDuring(() => server.stop())).rejects.toMatchObject(givenUp)
    expect(clock.timers).toBe(0)
  })

  test('during a load that a look began gives back what came up', async () => {
    const { server, repository, poll, backend } = await polling({})
    const createModel = backend.createModel.bind(backend)
    let stopped: Promise<void> | undefined
    backend.createModel = async (context) => {
      const created = await createModel(context)
      stopped = server.stop()
      return created
    }
    await repository.write(model('m'))
    const late = expect(poll()).rejects.toMatchObject(givenUp)
    await until(() => stopped !== undefined)
    await expect(server.poll()).rejects.toThrow('Server not ready')
    await stopped
    await late
    expect(backend.log.at(-1)).toBe('dispose m 1')
  })

  test('between two looks ends them', async () => {
    const { server, clock } = await polling({}, { repositoryPollSecs: 15 })
    await clock.advance(0)
    await server.poll()
    await server.stop()
    expect(clock.timers).toBe(0)
  })
})
