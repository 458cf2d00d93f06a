import { manualBackend } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { config, input, manual, started } from '../fixtures/server-rig.ts'
import { defineModel, type ServerOptions, silentLogger, TritonError } from '../index.ts'
import { chain } from '../lifecycle/fixtures/ensemble-config.ts'
import { type AgentRig, agentRig } from './fixtures/agent-rig.ts'
import { agentsConfig, RecordingAgents } from './fixtures/recording-agent.ts'

const two = agentsConfig('a', 'b')

const rig = (more = two, options?: ServerOptions): Promise<AgentRig> =>
  agentRig({ 'm/config.pbtxt': config(more), 'm/1/': '' }, options)

test('agents load in the order of the configuration and complete backwards', async () => {
  const { server, agents } = await rig()
  await server.load('m')
  expect(agents.heard()).toEqual(['a LOAD', 'b LOAD', 'b LOAD_COMPLETE', 'a LOAD_COMPLETE'])
  await server.load('m')
  expect(agents.heard()).toEqual([])
  await server.unload('m')
  expect(await agents.next(4)).toEqual(['a UNLOAD', 'b UNLOAD', 'b UNLOAD_COMPLETE', 'a UNLOAD_COMPLETE'])
  await server.stop()
  expect(agents.heard()).toEqual([])
})

test('the agents of what is replaced hear UNLOAD before LOAD_COMPLETE, and the rest when its requests are answered', async () => {
  const backend = manualBackend()
  const { server, files, agents } = await rig('', { backends: [backend] })
  await files.write({ 'm/config.pbtxt': manual(agentsConfig('a')) })
  await server.load('m')
  agents.heard()
  const running = server.infer('m', input())
  const { requests, finish } = await backend.next()
  await files.write({ 'm/1/changed': '' })
  await server.load('m')
  expect(agents.heard()).toEqual(['a LOAD', 'a UNLOAD', 'a LOAD_COMPLETE'])
  requests[0]?.fail(new TritonError('INTERNAL', 'enough'))
  finish()
  await expect(running).rejects.toThrow('enough')
  expect(await agents.next(1)).toEqual(['a UNLOAD_COMPLETE'])
})

test('a reload that fails ends with LOAD_FAIL, and what served before goes on', async () => {
  const { server, files, agents } = await rig()
  await server.load('m')
  agents.heard()
  await files.write({ 'm/config.pbtxt': config(two).replace('identity', 'none') })
  await expect(server.load('m')).rejects.toThrow('load failed')
  expect(agents.heard()).toEqual(['a LOAD', 'b LOAD', 'b LOAD_FAIL', 'a LOAD_FAIL'])
  await server.infer('m', input())
  await server.stop()
  expect(agents.heard()).toEqual(['a UNLOAD', 'b UNLOAD', 'b UNLOAD_COMPLETE', 'a UNLOAD_COMPLETE'])
})

test('a wrong configuration fails after LOAD, and so does a model without versions', async () => {
  const { server, files, agents } = await rig()
  await files.write({ 'm/config.pbtxt': config(`name: "n" ${two}`) })
  await expect(server.load('m')).rejects.toThrow('failed to poll from model repository')
  expect(agents.heard()).toEqual(['a LOAD', 'b LOAD', 'b LOAD_FAIL', 'a LOAD_FAIL'])
  await files.remove('m/1')
  await files.write({ 'm/config.pbtxt': config(two) })
  await expect(server.load('m')).rejects.toThrow('at least one version must be available')
  expect(agents.heard()).toEqual(['a LOAD', 'b LOAD', 'b LOAD_FAIL', 'a LOAD_FAIL'])
})

test('an agent that fails to load ends the chain: it and those before it hear LOAD_FAIL', async () => {
  const { server, agents } = await rig(agentsConfig('a', 'b', 'a'))
  agents.on('b', (action) => {
    if (action === 'LOAD') throw new Error('no key')
  })
  await expect(server.load('m')).rejects.toMatchObject({
    code: 'INTERNAL',
    message: "failed to load 'm', failed to poll from model repository",
    cause: { code: 'INTERNAL', message: "repository agent 'b' failed for model 'm': no key" },
  })
  expect(agents.heard()).toEqual(['a LOAD', 'b LOAD', 'b LOAD_FAIL', 'a LOAD_FAIL'])
  expect(await server.index()).toEqual([{ name: 'm' }])
})

test('an agent that is not there fails the load before any hears of it', async () => {
  const { server, agents } = await rig(agentsConfig('a', 'c'))
  await expect(server.load('m')).rejects.toMatchObject({
    cause: {
      code: 'INVALID_ARG',
      message:
        "unable to find 'libtritonrepoagent_c.so' for repo agent 'c', searched: the server option 'repositoryAgents', " +
        "which has 'a', 'b'; agents are given there in code, libraries are not loaded",
    },
  })
  expect(agents.heard()).toEqual([])
})

test('a change of instances alone is a load of its own, and UNLOAD_COMPLETE waits for the version that stays', async () => {
  const { server, files, agents } = await rig()
  await server.load('m')
  agents.heard()
  await files.write({ 'm/config.pbtxt': config(`${two} instance_group { count: 3 }`) })
  await server.load('m')
  expect(agents.heard().map((heard) => heard.slice(2))).toEqual([
    ...['LOAD', 'LOAD', 'UNLOAD', 'UNLOAD', 'LOAD_COMPLETE', 'LOAD_COMPLETE'],
  ])
  await server.stop()
  const heard = agents.heard().map((text) => text.slice(2))
  expect(heard.slice(0, 2)).toEqual(['UNLOAD', 'UNLOAD'])
  expect(heard.slice(2)).toEqual(Array(4).fill('UNLOAD_COMPLETE'))
})

test('errors after LOAD, of whatever kind, are logged and stop nothing, not even the other agents', async () => {
  const errors: string[] = []
  const logger = { ...silentLogger, error: (_: object, text: string) => void errors.push(text) }
  const { server, agents } = await rig(two, { logger })
  agents.on('b', (action) => {
    if (action === 'LOAD_COMPLETE') throw 'no mood'
    if (action === 'UNLOAD') throw undefined
    if (action === 'UNLOAD_COMPLETE') return Promise.reject(new Error('too late'))
    return undefined
  })
  await server.load('m')
  await server.infer('m', input())
  await server.stop()
  const before = "Internal: repository agent 'b' failed for model 'm':"
  expect(errors).toEqual([
    `Agent model returns error on TRITONREPOAGENT_ACTION_LOAD_COMPLETE: ${before} no mood`,
    `Agent model returns error on TRITONREPOAGENT_ACTION_UNLOAD: ${before} undefined`,
    `Agent model returns error on TRITONREPOAGENT_ACTION_UNLOAD_COMPLETE: ${before} too late`,
  ])
  expect(agents.heard()).toHaveLength(8)
})

test('the life of an ensemble goes from its load to its unload, however its steps change', async () => {
  const { server, files, agents } = await rig('')
  await files.write({ 'e/config.pbtxt': `${chain('m')} ${agentsConfig('a')}`, 'e/1/': '' })
  await server.load('e')
  expect(agents.heard()).toEqual(['a LOAD', 'a LOAD_COMPLETE'])
  await files.write({ 'm/1/changed': '' })
  await server.load('m')
  await server.unload('m')
  await server.load('m')
  await server.infer('e', input())
  expect(agents.heard()).toEqual([])
  await files.write({ 'e/1/changed': '' })
  await server.load('e')
  expect(await agents.next(4)).toEqual(['a LOAD', 'a UNLOAD', 'a LOAD_COMPLETE', 'a UNLOAD_COMPLETE'])
  await server.unload('e')
  expect(await agents.next(2)).toEqual(['a UNLOAD', 'a UNLOAD_COMPLETE'])
})

test('an ensemble that cannot come up hears LOAD_FAIL, and LOAD when it is loaded again', async () => {
  const { server, files, agents } = await rig('')
  await files.write({ 'e/config.pbtxt': `${chain('missing')} ${agentsConfig('a')}`, 'e/1/': '' })
  await expect(server.load('e')).rejects.toThrow('missing')
  expect(agents.heard()).toEqual(['a LOAD', 'a LOAD_FAIL'])
  await files.write({ 'missing/config.pbtxt': config(), 'missing/1/': '' })
  await server.load('e')
  expect(agents.heard()).toEqual(['a LOAD', 'a LOAD_COMPLETE'])
  await server.stop()
  expect(agents.heard()).toEqual(['a UNLOAD', 'a UNLOAD_COMPLETE'])
})

test('two Servers share an agent; each load has a state of its own', async () => {
  const states: unknown[] = []
  let loads = 0
  const agent = new RecordingAgents().agent('a', (action, model) => {
    if (action === 'LOAD') model.state = ++loads
    if (action === 'UNLOAD_COMPLETE') states.push(model.state)
  })
  const files = { 'm/config.pbtxt': config(agentsConfig('a')), 'm/1/': '' }
  const first = await started(files, { repositoryAgents: [agent] })
  const second = await started(files, { repositoryAgents: [agent] })
  await second.stop()
  await first.stop()
  expect(states).toEqual([2, 1])
})

test('two agents of one name are refused', async () => {
  const agent = new RecordingAgents().agent('a')
  await expect(started({}, { repositoryAgents: [agent, agent] })).rejects.toThrow("two repository agents are named 'a'")
})

test('a model in code has no agents, and a warning when it asks for one', async () => {
  const warnings: string[] = []
  const logger = { ...silentLogger, warn: (_: object, text: string) => void warnings.push(text) }
  const code = defineModel({
    config: {
      input: [{ name: 'X', dataType: 'TYPE_FP32', dims: [1] }],
      output: [{ name: 'Y', dataType: 'TYPE_FP32', dims: [1] }],
      modelRepositoryAgents: { agents: [{ name: 'a' }] },
    },
    infer: () => ({ Y: [1] }),
  })
  const { server, agents } = await rig('', { models: { code }, logger })
  await server.load('code')
  expect(agents.heard()).toEqual([])
  expect(warnings).toEqual([
    "configuration of model 'code': no agent is called for a model in code, which has no directory",
  ])
})
