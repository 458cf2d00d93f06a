import { echoBackend } from '@triton-ts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { config, input, repository } from '../../fixtures/server-rig.ts'
import { Server } from '../../index.ts'
import { chain, models } from '../fixtures/ensemble-config.ts'
import { ReferenceModels } from '../fixtures/reference-models.ts'

/** Models in an order in which each needs only those before it; the first two need none. */
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

/** What a model needs, as numbers that are taken modulo the number of models before it. */
const needs = fc.array(fc.nat(names.length), { minLength: 1, maxLength: 3 })
const graphs = fc.array(needs, { minLength: names.length, maxLength: names.length })
const act = fc.record({
  action: fc.constantFrom('load', 'unload', 'unload with steps', 'rewire', 'make plain', 'break'),
  model: fc.nat(names.length - 1),
  needs,
})
const acts = fc.array(act, { minLength: 1, maxLength: 12 })
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never

const stepsOf = (model: number, numbers: readonly number[]): string[] =>
  model < 2 ? [] : numbers.map((number) => names[number % model] as string)

const configOf = (steps: readonly string[]): string => (steps.length === 0 ? config() : chain(...steps))

/** A Server with the models of a graph, none of them loaded, and what counts the models that its backend holds. */
async function rig(graph: readonly (readonly number[])[]) {
  const steps = names.map((_, model) => stepsOf(model, graph[model]!))
  const files = models(Object.fromEntries(names.map((name, model) => [name, configOf(steps[model]!)])))
  const made = await repository(files)
  const echo = echoBackend()
  let held = 0
  const backend: typeof echo = {
    ...echo,
    async createModel(context) {
      const model = await echo.createModel(context)
      held++
      return {
        ...model,
        async dispose() {
          held--
          await model.dispose()
        },
      }
    },
  }
  const server = new Server({ modelRepository: made.path, backends: [backend], modelControl: 'explicit' })
  await server.start()
  const reference = new ReferenceModels()
  for (const [model, name] of names.entries()) reference.files.set(name, steps[model])
  let writes = 0
  const write = async (name: string, steps: readonly string[] | undefined): Promise<void> => {
    const text = steps === undefined ? 'platform: "nonsense"' : configOf(steps)
    reference.files.set(name, steps)
    await made.write({ [`${name}/config.pbtxt`]: `${text}\n# ${++writes}` })
  }
  const perform = async ({ action, model, needs }: Act): Promise<void> => {
    const name = names[model] as string
    const unloadDependents = action === 'unload with steps'
    if (unloadDependents || action === 'unload') {
      reference.unload(name, unloadDependents)
      await server.unload(name, { unloadDependents })
      return
    }
    if (action === 'rewire') await write(name, stepsOf(model, needs))
    if (action === 'make plain') await write(name, [])
    if (action === 'break') await write(name, undefined)
    reference.load(name)
    // Whether it should have failed is seen from what serves now.
    await server.load(name).catch(() => {})
  }
  // Only ready models have statistics.
  const ready = (): string[] => server.statistics().map(({ name }) => name)
  return { server, reference, perform, ready, held: () => held }
}

test('after any sequence of loads and unloads those serve that should, and nothing leaks', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, acts, async (graph, acts) => {
      const { server, reference, perform, ready, held } = await rig(graph)
      for (const one of acts) {
        await perform(one)
        const expected = names.filter((name) => reference.isReady(name))
        expect(ready()).toEqual(expected)
        for (const name of expected) expect(await server.infer(name, input())).toHaveProperty('OUT')
      }
      await server.stop()
      expect(held()).toBe(0)
    }),
    { numRuns: 50 },
  )
})

test('during loads and unloads at the same time no ensemble serves without its steps, and nothing leaks', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, acts, fc.boolean(), async (graph, acts, stopEarly) => {
      const { server, perform, ready, held } = await rig(graph)
      const performed = acts.map(async (one) => {
        await perform(one).catch(() => {})
        if (!server.isLive()) return
        const serving = ready()
        for (const name of serving) {
          const steps = server.model(name).config.ensembleScheduling?.step ?? []
          for (const { modelName } of steps) expect(serving).toContain(modelName)
        }
      })
      if (stopEarly) performed.push(server.stop())
      await Promise.all(performed)
      await server.stop()
      expect(held()).toBe(0)
    }),
    { numRuns: 50 },
  )
})
