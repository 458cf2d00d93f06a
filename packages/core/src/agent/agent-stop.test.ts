import { existsSync } from 'node:fs'
import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { config, input } from '../fixtures/server-rig.ts'
import type { ServerOptions } from '../index.ts'
import { type AgentRig, agentRig } from './fixtures/agent-rig.ts'
import { agentsConfig } from './fixtures/recording-agent.ts'

const rig = (options: ServerOptions = {}): Promise<AgentRig> =>
  agentRig({ 'm/config.pbtxt': config(agentsConfig('a', 'b')), 'm/1/': '' }, { exitTimeout: 5, ...options })

const never = (): Promise<void> => new Promise(() => {})

test('a load that is given up ends at once; LOAD_FAIL waits until the agent has come to its end', async () => {
  const { server, agents } = await rig()
  const caller = new AbortController()
  const made: string[] = []
  let finish!: () => void
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  agents.on('b', async (action, model, signal) => {
    if (action !== 'LOAD') return
    made.push(await model.acquireLocation())
    caller.abort()
    expect(signal.aborted).toBe(true)
    await finished
  })
  await expect(server.load('m', { signal: caller.signal })).rejects.toMatchObject({
    code: 'CANCELLED',
    message: "load failed for model 'm': the load was given up\n",
  })
  expect(agents.heard()).toEqual(['a LOAD', 'b LOAD'])
  expect(made.map(existsSync)).toEqual([true])
  finish()
  expect(await agents.next(2)).toEqual(['b LOAD_FAIL', 'a LOAD_FAIL'])
  await server.stop()
  expect(made.map(existsSync)).toEqual([false])
})

test('a load that is given up after an agent calls no other', async () => {
  const { server, agents } = await rig()
  const caller = new AbortController()
  agents.on('a', (action) => {
    if (action === 'LOAD') queueMicrotask(() => caller.abort())
  })
  await expect(server.load('m', { signal: caller.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
  await server.stop()
  expect(agents.heard()).toEqual(['a LOAD', 'a LOAD_FAIL'])
})

test('a stop ends when its time is over, though an agent is still at LOAD, and tells LOAD_FAIL', async () => {
  const clock = virtualClock()
  const { server, agents } = await rig({ clock })
  agents.on('a', never)
  const load = server.load('m').catch(({ code }) => code)
  await agents.next(1)
  const stop = server.stop()
  expect(await load).toBe('CANCELLED')
  expect(agents.heard()).toEqual([])
  const [outcome] = await Promise.allSettled([stop, clock.advance(5000)])
  expect(outcome).toMatchObject({ reason: { message: 'Exit timeout expired. Exiting immediately.' } })
  expect(await agents.next(1)).toEqual(['a LOAD_FAIL'])
})

test.each(['LOAD_COMPLETE', 'UNLOAD', 'UNLOAD_COMPLETE'])('the same for one that is still at %s', async (hanging) => {
  const clock = virtualClock()
  const { server, agents } = await rig({ clock })
  agents.on('b', (action) => (action === hanging ? never() : undefined))
  const load = server.load('m')
  const heard = await agents.next(3)
  // It serves, whatever its agents do.
  await server.infer('m', input())
  const stop = server.stop().catch(({ message }) => message)
  await load
  while (!heard.includes(`b ${hanging}`)) heard.push(...(await agents.next(1)))
  await clock.advance(5000)
  expect(await stop).toBe('Exit timeout expired. Exiting immediately.')
  while (heard.length < 8) heard.push(...(await agents.next(1)))
  expect(heard).toEqual([
    ...['a LOAD', 'b LOAD', 'b LOAD_COMPLETE', 'a LOAD_COMPLETE'],
    ...['a UNLOAD', 'b UNLOAD', 'b UNLOAD_COMPLETE', 'a UNLOAD_COMPLETE'],
  ])
})

test('a stop waits for agents within its time', async () => {
  const { server, agents } = await rig()
  await server.load('m')
  agents.heard()
  let finish!: () => void
  agents.on('b', (action) => {
    if (action !== 'UNLOAD') return undefined
    return new Promise<void>((resolve) => {
      finish = resolve
    })
  })
  const stop = server.stop()
  expect(await agents.next(2)).toEqual(['a UNLOAD', 'b UNLOAD'])
  finish()
  await stop
  expect(agents.heard()).toEqual(['b UNLOAD_COMPLETE', 'a UNLOAD_COMPLETE'])
})

test('only so many models are with their agents for LOAD at the same time', async () => {
  const names = ['m1', 'm2', 'm3', 'm4', 'm5']
  const content = Object.fromEntries(
    names.flatMap((name) => [
      [`${name}/config.pbtxt`, config(agentsConfig('a'))],
      [`${name}/1/`, ''],
    ]),
  )
  const { server, agents } = await agentRig(content, { modelLoadThreadCount: 2 })
  let running = 0
  let most = 0
  agents.on('a', async (action) => {
    if (action !== 'LOAD') return
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
  })
  await Promise.all(names.map((name) => server.load(name)))
  expect(most).toBe(2)
})
