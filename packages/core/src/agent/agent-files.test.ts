import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { manualBackend } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { answer, config, input, manual } from '../fixtures/server-rig.ts'
import type { ServerOptions } from '../index.ts'
import { type AgentRig, agentRig } from './fixtures/agent-rig.ts'
import { agentsConfig } from './fixtures/recording-agent.ts'

const instances = (count: number): string => config(`${agentsConfig('a')} instance_group { count: ${count} }`)

/** A Server whose agent moves each load to a directory of its own; `locations` has one for each. */
async function moving(content: Record<string, string>, options?: ServerOptions) {
  const rig: AgentRig = await agentRig(content, options)
  const locations: string[] = []
  rig.agents.on('a', async (action, model) => {
    if (action !== 'LOAD') return
    const location = await model.acquireLocation()
    await cp(model.location, location, { recursive: true })
    model.updateLocation(location)
    locations.push(location)
  })
  /** Which directories are there, when no more than so many are. */
  const there = async (count: number): Promise<boolean[]> => {
    while (locations.filter(existsSync).length > count) await setImmediate()
    return locations.map(existsSync)
  }
  return { ...rig, locations, there }
}

test('of loads that change instances alone, only the last and the one whose files are read keep their directories', async () => {
  const { server, files, locations, there } = await moving({ 'm/config.pbtxt': instances(1), 'm/1/': '' })
  await server.load('m')
  for (const count of [2, 3, 4]) {
    await files.write({ 'm/config.pbtxt': instances(count) })
    await server.load('m')
  }
  await server.infer('m', input())
  expect(await there(2)).toEqual([true, false, false, true])
  await server.unload('m', { waitUntilUnloaded: true })
  expect(locations.map(existsSync)).toEqual(Array(4).fill(false))
})

test('a version that stays keeps its directory, and not those of other versions', async () => {
  const both = `${agentsConfig('a')} version_policy { all {} }`
  const content = { 'm/config.pbtxt': config(both), 'm/1/': '', 'm/2/': '' }
  const { server, files, locations, there } = await moving(content)
  await server.load('m')
  for (const change of ['a', 'b', 'c']) {
    await files.write({ [`m/2/${change}`]: '' })
    await server.load('m')
  }
  expect(await there(2)).toEqual([true, false, false, true])
  await server.unload('m', { waitUntilUnloaded: true })
  expect(locations.map(existsSync)).toEqual(Array(4).fill(false))
})

test('an unload that waits until everything was given back waits for the last action and the directory', async () => {
  const backend = manualBackend()
  const content = { 'm/config.pbtxt': manual(agentsConfig('a')), 'm/1/': '' }
  const { server, agents, locations } = await moving(content, { backends: [backend] })
  await server.load('m')
  const running = server.infer('m', input())
  const { requests, finish } = await backend.next()
  agents.heard()
  const unloading = server.unload('m', { waitUntilUnloaded: true })
  expect(await agents.next(1)).toEqual(['a UNLOAD'])
  requests[0]?.respond(answer)
  finish()
  await running
  await unloading
  expect(agents.heard()).toEqual(['a UNLOAD_COMPLETE'])
  expect(locations.map(existsSync)).toEqual([false])
})

test('what came up of a load that fails is gone before LOAD_FAIL', async () => {
  const seen: (string | boolean)[] = []
  const backend = inlineBackend('identity', async ({ version, directory }) => {
    if (version === 2) throw new Error('no')
    const dispose = async (): Promise<void> => void seen.push('gone', existsSync(directory))
    return { model: { dispose } }
  })
  const policy = `${agentsConfig('b', 'a')} version_policy { all {} }`
  const rig = await moving({ 'm/config.pbtxt': config(policy), 'm/1/': '', 'm/2/': '' }, { backends: [backend] })
  rig.agents.on('b', (action) => void seen.push(action))
  await expect(rig.server.load('m')).rejects.toThrow('version 2 is at UNAVAILABLE state')
  expect(seen).toEqual(['LOAD', 'gone', true, 'LOAD_FAIL'])
  expect(rig.locations.map(existsSync)).toEqual([false])
})
