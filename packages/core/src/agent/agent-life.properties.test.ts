import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { echoBackend } from '@triton-ts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { config, input } from '../fixtures/server-rig.ts'
import type { Backend } from '../index.ts'
import { chain } from '../lifecycle/fixtures/ensemble-config.ts'
import { agentRig } from './fixtures/agent-rig.ts'
import { agentsConfig } from './fixtures/recording-agent.ts'
import type { AgentModel } from './repository-agent.ts'

const lives = [
  ['LOAD', 'LOAD_FAIL'],
  ['LOAD', 'LOAD_COMPLETE', 'UNLOAD', 'UNLOAD_COMPLETE'],
]

const step = fc.record({
  what: fc.constantFrom('load', 'load', 'unload', 'give up', 'touch', 'instances', 'break', 'refuse', 'infer'),
  model: fc.constantFrom('m', 'e'),
  isAwaited: fc.boolean(),
})

/** An echo backend that notes in `bereft` versions whose directory went before them. */
function readingBackend(bereft: string[]): Backend {
  const echo = echoBackend()
  return {
    name: echo.name,
    async createModel(context) {
      const model = await echo.createModel(context)
      const { versionDirectory } = context
      const dispose = async (): Promise<void> => {
        await model.dispose()
        if (!existsSync(versionDirectory)) bereft.push(versionDirectory)
      }
      return { ...model, dispose }
    },
  }
}

test('whatever is loaded, unloaded, given up or fails, at whatever time: every load has one whole life, and its files as long as they are read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
      const heard = new Map<AgentModel, string[]>()
      const locations: string[] = []
      const bereft: string[] = []
      let refuses = false
      let turn = 0
      const agents = `${agentsConfig('a', 'b')} version_policy { all {} }`
      const content = { 'm/config.pbtxt': config(agents), 'm/1/f': '', 'm/2/f': '' }
      const rig = await agentRig(content, { backends: [readingBackend(bereft)] })
      await rig.files.write({ 'e/config.pbtxt': `${chain('m')} ${agents}`, 'e/1/': '' })
      for (const name of ['a', 'b']) {
        rig.agents.on(name, async (action, model) => {
          heard.set(model, [...(heard.get(model) ?? []), action])
          if (action === 'LOAD') {
            const location = await model.acquireLocation()
            locations.push(location)
            await cp(model.location, location, { recursive: true })
            model.updateLocation(location)
          }
          if (++turn % 3 === 0) await setImmediate()
          if (action === 'LOAD' && name === 'b' && refuses) throw new Error('no')
        })
      }
      const { server, files } = rig
      const running: Promise<unknown>[] = []
      for (const { what, model, isAwaited } of steps) {
        const caller = new AbortController()
        if (what === 'touch') await files.write({ [`${model}/${1 + (++turn % 2)}/f${turn}`]: '' })
        if (what === 'instances') {
          await files.write({ 'm/config.pbtxt': config(`${agents} instance_group { count: ${1 + (++turn % 4)} }`) })
        }
        if (what === 'break') await files.write({ 'm/config.pbtxt': config(agents).replace('identity', 'none') })
        if (what === 'refuse') refuses = !refuses
        if (what === 'load' || what === 'give up') running.push(server.load(model, { signal: caller.signal }))
        if (what === 'unload') running.push(server.unload(model))
        if (what === 'infer') running.push(server.infer(model, input()))
        running.at(-1)?.catch(() => {})
        if (what === 'give up') {
          for (let wait = ++turn % 5; wait > 0; wait--) await setImmediate()
          caller.abort()
        }
        if (isAwaited) await Promise.allSettled(running)
      }
      await server.stop()
      await Promise.allSettled(running)
      for (const life of heard.values()) expect(lives).toContainEqual(life)
      expect(locations.filter(existsSync)).toEqual([])
      expect(bereft).toEqual([])
    }),
    { numRuns: 40 },
  )
})
