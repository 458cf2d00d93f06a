import { existsSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cloudRig } from '../fixtures/cloud-rig.ts'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { config, repository } from '../fixtures/server-rig.ts'
import { silentLogger, type TritonError } from '../index.ts'
import { LiveVersions } from '../lifecycle/live-versions.ts'
import { pollModel } from '../lifecycle/poll-model.ts'
import { ModelRepository } from '../repository/model-repository.ts'
import { agentRig } from './fixtures/agent-rig.ts'
import { agentsConfig, RecordingAgents } from './fixtures/recording-agent.ts'
import type { AgentModel } from './repository-agent.ts'
import { RepositoryAgents } from './repository-agents.ts'

const reversed = (text: string): string => [...text].reverse().join('')

/** Moves a model to a copy whose file `weights` is read backwards. */
async function decrypt(model: AgentModel): Promise<string> {
  const location = await model.acquireLocation()
  await cp(model.location, location, { recursive: true, dereference: true })
  const weights = join(location, '1/weights')
  await writeFile(weights, reversed(await readFile(weights, 'utf8')))
  model.updateLocation(location)
  return location
}

/** The content of `weights` for each version that was loaded, in a repository where it is encrypted. */
async function encrypted(more: string) {
  const loaded: string[] = []
  const backend = inlineBackend('identity', async ({ versionDirectory }) => {
    loaded.push(await readFile(join(versionDirectory, 'weights'), 'utf8'))
    return {}
  })
  const content = { 'm/config.pbtxt': config(more), 'm/1/weights': reversed('secret') }
  return { ...(await agentRig(content, { backends: [backend] })), loaded }
}

test('a model loads from where an agent has moved it; nothing remains when it is unloaded', async () => {
  const { server, agents, files, loaded } = await encrypted(agentsConfig('a'))
  const locations: string[] = []
  agents.on('a', async (action, model) => {
    if (action === 'LOAD') locations.push(await decrypt(model))
  })
  await server.load('m')
  await files.write({ 'm/1/weights': reversed('secret 2') })
  await server.load('m')
  expect(loaded).toEqual(['secret', 'secret 2'])
  await server.unload('m')
  await server.stop()
  expect(locations.map(existsSync)).toEqual([false, false])
  expect(await readFile(join(files.path, 'm/1/weights'), 'utf8')).toBe(reversed('secret 2'))
})

test('a model is unchanged while its own directory is', async () => {
  const { server, agents, loaded } = await encrypted(agentsConfig('a'))
  agents.on('a', async (action, model) => {
    if (action === 'LOAD') await decrypt(model)
  })
  await server.load('m')
  await server.load('m')
  expect(loaded).toEqual(['secret'])
})

test('each agent sees what those before it have made; the configuration of the original counts', async () => {
  const { server, agents, loaded } = await encrypted(agentsConfig('a', 'b', 'b'))
  const seen: (string | undefined)[] = []
  agents.on('a', async (action, model) => {
    if (action !== 'LOAD') return
    await writeFile(join(await decrypt(model), 'config.pbtxt'), config('metric_tags { key: "moved" value: "" }'))
  })
  agents.on('b', async (action, { location, config: written }) => {
    if (action !== 'LOAD') return
    seen.push(await readFile(join(location, '1/weights'), 'utf8'))
    seen.push(...Object.keys(written?.metricTags ?? { none: '' }))
  })
  await server.load('m')
  expect(seen).toEqual(['secret', 'moved', 'secret', 'moved'])
  expect(loaded).toEqual(['secret'])
  expect(server.model('m').config.metricTags).toEqual({})
})

test('an agent sees its parameters in order, and the configuration as it is written', async () => {
  const agent = 'agents { name: "a" parameters [ { key: "z" value: "1" }, { key: "b" value: "2" } ] }'
  const { server, agents, files } = await encrypted(`model_repository_agents { ${agent} }`)
  const seen: AgentModel[] = []
  agents.on('a', (_, model) => void seen.push(model))
  await server.load('m')
  expect(new Set(seen).size).toBe(1)
  const [model] = seen
  expect(Object.entries(model?.parameters ?? {})).toEqual([
    ['z', '1'],
    ['b', '2'],
  ])
  expect(model).toMatchObject({ name: 'm', location: join(files.path, 'm'), config: { name: '', instanceGroup: [] } })
})

test('a configuration that is missing where the model was moved to is undefined', async () => {
  const { server, agents } = await encrypted(agentsConfig('a', 'b'))
  const elsewhere = await repository({ '1/weights': 'plain' })
  const seen: unknown[] = []
  agents.on('a', (action, model) => {
    if (action === 'LOAD') model.updateLocation(elsewhere.path)
  })
  agents.on('b', (_, { config }) => void seen.push(config))
  await server.load('m')
  await server.stop()
  expect(seen).toEqual(Array(4).fill(undefined))
  // Whoever made a directory deletes it.
  expect(existsSync(elsewhere.path)).toBe(true)
})

test('a directory that an agent acquires is one, until it is released; both only during LOAD', async () => {
  const { server, agents } = await encrypted(agentsConfig('a'))
  const problems: unknown[] = []
  const attempt = async (work: () => unknown): Promise<void> => {
    try {
      await work()
    } catch (error) {
      const { code, message } = error as TritonError
      problems.push(`${code} ${message}`)
    }
  }
  const locations: string[] = []
  agents.on('a', async (action, model) => {
    if (action === 'LOAD') {
      await attempt(() => model.releaseLocation())
      locations.push(...(await Promise.all([model.acquireLocation(), model.acquireLocation()])))
      await model.releaseLocation()
      locations.push(await model.acquireLocation())
    } else {
      await attempt(() => model.acquireLocation())
      await attempt(() => model.updateLocation('/tmp'))
    }
  })
  await server.load('m')
  const during = (what: string): string =>
    `INVALID_ARG location can only be ${what} during TRITONREPOAGENT_ACTION_LOAD, ` +
    'current action type is TRITONREPOAGENT_ACTION_LOAD_COMPLETE'
  expect(problems).toEqual(['UNAVAILABLE No mutable location to be deleted', during('acquired'), during('updated')])
  expect(locations.map(existsSync)).toEqual([false, false, true])
  expect(locations[0]).toBe(locations[1])
  await server.stop()
  expect(locations.some(existsSync)).toBe(false)
})

test('a model that was moved to no directory does not load', async () => {
  const { server, agents, files } = await encrypted(agentsConfig('a'))
  agents.on('a', (action, model) => {
    if (action === 'LOAD') model.updateLocation(join(files.path, 'nowhere'))
  })
  await expect(server.load('m')).rejects.toMatchObject({
    cause: { message: `repository agent 'a' moved model 'm' to '${files.path}/nowhere', which is no directory` },
  })
  expect(agents.heard()).toEqual(['a LOAD', 'a LOAD_FAIL'])
})

test('agents of a configuration that a load brings are called, on top of the files that it brings', async () => {
  const { server, agents, loaded } = await encrypted('')
  const seen: string[] = []
  agents.on('a', async (action, model) => {
    if (action === 'LOAD') seen.push(await decrypt(model))
    else seen.push(model.location)
  })
  const given = { backend: 'identity', modelRepositoryAgents: { agents: [{ name: 'a' }] } }
  const values = { dataType: 'TYPE_FP32', dims: [2] } as const
  const whole = { ...given, input: [{ name: 'IN', ...values }], output: [{ name: 'OUT', ...values }] }
  await server.load('m', { config: whole })
  await server.load('m', { config: whole, files: { '1/weights': Buffer.from(reversed('given')) } })
  expect(loaded).toEqual(['secret', 'given'])
  await server.stop()
  expect(agents.heard().map((heard) => heard.slice(2))).toEqual([
    ...['LOAD', 'LOAD_COMPLETE', 'LOAD', 'UNLOAD', 'LOAD_COMPLETE', 'UNLOAD_COMPLETE', 'UNLOAD', 'UNLOAD_COMPLETE'],
  ])
  expect(seen.some(existsSync)).toBe(false)
})

test('a model of a cloud is a local directory for its agents, and goes with the last action', async () => {
  const { source, store } = await cloudRig()
  store.put('m/config.pbtxt', config(agentsConfig('a')))
  store.put('m/1/weights', 'from afar')
  const content = await source.look('m')
  if (content === undefined) throw new Error('the model is not there')
  const seen: string[] = []
  const agent = new RecordingAgents().agent('a', async (action, { location }) => {
    seen.push(`${action} ${await readFile(join(location, '1/weights'), 'utf8')}`)
  })
  const agents = new RepositoryAgents(new Map([['a', agent]]), 1, silentLogger)
  const place = { id: 'm', name: 'm', namespace: '', repository: source.path, isMapped: false, content }
  const options = { repository: new ModelRepository([source]), configName: undefined, modelConfigs: new Map() }
  const { signal } = new AbortController()
  const polled = await pollModel(place, {}, undefined, { ...options, autoComplete: true, agents }, signal)
  const live = new LiveVersions(silentLogger)
  await polled?.files.keep(Promise.resolve(), live, signal)
  await polled?.files.replace([], live)
  await live.settled()
  expect(seen).toEqual(['LOAD', 'LOAD_COMPLETE', 'UNLOAD', 'UNLOAD_COMPLETE'].map((action) => `${action} from afar`))
  expect(existsSync(polled?.definition.directory ?? '')).toBe(false)
})
