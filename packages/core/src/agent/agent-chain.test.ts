import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseModelConfig, silentLogger } from '../index.ts'
import { AgentChain } from './agent-chain.ts'
import { type ActionWork, RecordingAgents } from './fixtures/recording-agent.ts'

/** A chain of agents called 0, 1 and so on. */
function chainOf(works: readonly ActionWork[]) {
  const agents = new RecordingAgents()
  const closing = new AbortController()
  let disposals = 0
  const chain = new AgentChain({
    name: 'm',
    config: parseModelConfig('').config,
    files: {
      directory: tmpdir(),
      dispose: async () => {
        disposals++
      },
    },
    agents: works.map((work, at) => ({ agent: agents.agent(String(at), work), parameters: {} })),
    readConfig: async () => undefined,
    closing: closing.signal,
    logger: silentLogger,
  })
  return { chain, agents, closing, disposals: () => disposals }
}

const never = (): Promise<void> => new Promise(() => {})

test('when nobody waits any more, what an agent acquired is deleted though it never ends', async () => {
  const load = new AbortController()
  let location = ''
  const { chain, agents, closing, disposals } = chainOf([
    async (_, model) => {
      location = await model.acquireLocation()
      load.abort()
      await never()
    },
  ])
  await expect(chain.load(load.signal)).rejects.toMatchObject({ code: 'CANCELLED' })
  const disposed = chain.dispose()
  expect(existsSync(location)).toBe(true)
  closing.abort()
  await disposed
  expect(existsSync(location)).toBe(false)
  expect(disposals()).toBe(1)
  expect(agents.heard()).toEqual(['0 LOAD', '0 LOAD_FAIL'])
})

const life = ['LOAD', 'LOAD_COMPLETE', 'UNLOAD', 'UNLOAD_COMPLETE']

const agent = fc.record({
  fails: fc.uniqueArray(fc.constantFrom(...life, 'LOAD_FAIL'), { maxLength: 3 }),
  hangs: fc.uniqueArray(fc.constantFrom(...life, 'LOAD_FAIL'), { maxLength: 2 }),
})

test('whatever agents do, each that heard LOAD hears the rest of one life, each action once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(agent, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('complete', 'unload', 'dispose'),
      async (behaviours, end) => {
        const load = new AbortController()
        const { chain, agents, closing, disposals } = chainOf(
          behaviours.map(({ fails, hangs }) => (action) => {
            if (fails.includes(action)) throw new Error(action)
            if (!hangs.includes(action)) return undefined
            // Whoever waits gives up now.
            if (action === 'LOAD') queueMicrotask(() => load.abort())
            queueMicrotask(() => closing.abort())
            return never()
          }),
        )
        const isLoaded = await chain.load(load.signal).then(
          () => true,
          () => false,
        )
        if (isLoaded && end !== 'dispose') void chain.complete(Promise.resolve())
        if (isLoaded && end === 'unload') void chain.unload()
        await chain.dispose()
        expect(disposals()).toBe(1)
        const expected = isLoaded && end !== 'dispose' ? life : ['LOAD', 'LOAD_FAIL']
        const heard = agents.heard().map((text) => text.split(' '))
        const called = [...new Set(heard.map(([name]) => name))]
        for (const name of called) {
          expect(heard.filter(([other]) => other === name).map(([, action]) => action)).toEqual(expected)
        }
        // One action is through with all agents before the next begins, the closing ones backwards.
        const backwards = called.toReversed()
        const order = expected.flatMap((action) =>
          (action === 'LOAD' || action === 'UNLOAD' ? called : backwards).map((name) => [name, action]),
        )
        expect(heard).toEqual(order)
      },
    ),
    { numRuns: 300 },
  )
})
