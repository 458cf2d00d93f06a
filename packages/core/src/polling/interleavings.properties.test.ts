import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanUp, config, input, repository } from '../fixtures/server-rig.ts'
import { Server, TritonError } from '../index.ts'
import { chain } from '../lifecycle/fixtures/ensemble-config.ts'
import { ChangingFiles } from './fixtures/changing-files.ts'
import { countingBackend } from './fixtures/counting-backend.ts'

/** Plain models, and an ensemble of some of them. */
const plain = ['a', 'b', 'c']
const pipe = 'pipe'
const names = [...plain, pipe]

const name = fc.constantFrom(...names)
const versions = fc.subarray([1, 2, 3], { minLength: 1 })
const steps = fc.subarray(plain, { minLength: 1 })
const changes = [
  fc.record({ kind: fc.constant('write' as const), name, versions, steps }),
  fc.record({ kind: fc.constant('break' as const), name }),
  fc.record({ kind: fc.constant('remove' as const), name }),
]
const infer = fc.record({ kind: fc.constant('infer' as const), name })
/** Without a size, most would be shorter than ten: too short for a model to go and to come back. */
const lengths = { minLength: 1, maxLength: 25, size: 'max' } as const
/** A few turns of the event loop, in which files are read, or until all that was begun is over. */
const pause = fc.oneof(
  fc.record({ kind: fc.constant('turn' as const), turns: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constant('rest' as const) }),
)

/** The mark is where it can be read back from the configuration that serves. */
const configOf = (steps: readonly string[], mark: number): string => {
  const text = steps.length === 0 ? config() : chain(...steps)
  return `${text}\nparameters { key: "mark" value { string_value: "${mark}" } } # ${'.'.repeat(mark)}`
}

async function rig(modelControl: 'poll' | 'explicit') {
  const made = await repository({})
  const files = new ChangingFiles(made, configOf)
  for (const name of plain) await files.write(name, [], [1])
  await files.write(pipe, plain, [1])
  const backend = countingBackend()
  const server = new Server({
    modelRepository: made.path,
    backends: [backend],
    modelControl,
    ...(modelControl === 'poll' && { repositoryPollSecs: 0, repositorySettleSecs: 0 }),
  })
  cleanUp(() => server.stop())
  await server.start()
  let answers = 0
  const ask = async (name: string): Promise<void> => {
    const outputs = await server.infer(name, input()).catch((error: unknown) => {
      if (!(error instanceof TritonError)) throw error
      expect(['NOT_FOUND', 'UNAVAILABLE']).toContain(error.code)
      return undefined
    })
    if (outputs !== undefined) expect(outputs.OUT?.data).toEqual(input().IN)
    answers++
  }
  const change = (act: { kind: string; name: string; versions?: number[]; steps?: string[] }): Promise<void> => {
    const { kind, name, versions = [], steps = [] } = act
    if (kind === 'write') return files.write(name, name === pipe ? steps : [], versions)
    return kind === 'break' ? files.breakConfig(name) : files.remove(name)
  }
  const ready = (name: string): boolean => server.statistics().some((model) => model.name === name)
  return { server, files, backend, ask, change, ready, answers: () => answers }
}

async function turn(turns: number): Promise<void> {
  for (let rest = turns; rest > 0; rest--) await setImmediate()
}

type Rig = Awaited<ReturnType<typeof rig>>

/** What serves is what the files say; a wanted model whose files are broken or gone may serve as it was. */
function expectAsFiles({ server, files, ready }: Rig, wanted: (name: string) => boolean): void {
  for (const name of names) {
    const state = files.states.get(name)
    if (!wanted(name)) expect([name, ready(name)]).toEqual([name, false])
    else if (state !== undefined) {
      const isWhole = state.steps.every((step) => ready(step))
      expect([name, ready(name)]).toEqual([name, isWhole])
      if (!isWhole) continue
      const { config, version } = server.model(name)
      expect([name, version]).toEqual([name, Math.max(...state.versions)])
      expect([name, config.parameters.mark?.stringValue]).toEqual([name, String(state.mark)])
    }
  }
}

/** Everything that was made and does not serve is given back, and then everything. */
async function expectNoLeak({ server, backend }: Rig): Promise<void> {
  const served = server.statistics().filter(({ name }) => name !== pipe).length
  // What was retired is given back in its own time.
  for (let turn = 0; turn < 1000 && backend.held.models !== served; turn++) await setImmediate()
  expect(backend.held).toEqual({ models: served, instances: served })
  await server.stop()
  expect(backend.held).toEqual({ models: 0, instances: 0 })
}

test('polls, requests and changes of files at the same time end in what the files say', async () => {
  const acts = fc.array(fc.oneof(...changes, infer, pause, fc.record({ kind: fc.constant('poll' as const) })), {
    ...lengths,
  })
  await fc.assert(
    fc.asyncProperty(acts, async (acts) => {
      const made = await rig('poll')
      const { server, files, ask, change, answers } = made
      const work: Promise<void>[] = []
      for (const act of acts) {
        if (act.kind === 'turn') await turn(act.turns)
        else if (act.kind === 'rest') await Promise.all(work)
        else if (act.kind === 'poll') work.push(server.poll())
        else work.push(act.kind === 'infer' ? ask(act.name) : change(act))
      }
      await Promise.all(work)
      await server.poll()
      expect(answers()).toBe(acts.filter(({ kind }) => kind === 'infer').length)
      expectAsFiles(made, (name) => files.states.has(name))
      await expectNoLeak(made)
    }),
    { numRuns: 60 },
  )
})

test('loads, unloads, requests and changes of files at the same time end in what the files say', async () => {
  const load = fc.record({ kind: fc.constantFrom('load' as const, 'unload' as const), name })
  // They are half of it, so that many of one model overlap.
  const acts = fc.array(fc.oneof(...changes, infer, pause, load, load, load, load, load), lengths)
  await fc.assert(
    fc.asyncProperty(acts, async (acts) => {
      const made = await rig('explicit')
      const { server, files, ask, change, ready, answers } = made
      const wanted = new Set<string>()
      const work: Promise<unknown>[] = []
      for (const act of acts) {
        if (act.kind === 'turn') await turn(act.turns)
        else if (act.kind === 'rest') await Promise.all(work)
        else if (act.kind === 'load') work.push(server.load(act.name).catch(() => {}))
        else if (act.kind === 'unload') work.push(server.unload(act.name))
        else work.push(act.kind === 'infer' ? ask(act.name) : change(act))
      }
      await Promise.all(work)
      // Loads and unloads happen in the order of the calls; a load of the ensemble may bring any of the plain ones.
      const asked = acts.flatMap((act) => (act.kind === 'load' || act.kind === 'unload' ? [act] : []))
      const bringsSteps = asked.some(({ kind, name }) => kind === 'load' && name === pipe)
      for (const name of names) {
        const last = asked.findLast((act) => act.name === name)?.kind
        if (last === 'unload' && (name === pipe || !bringsSteps)) expect([name, ready(name)]).toEqual([name, false])
        // The last word on each model: it is unloaded, or loaded once more now that its files are at rest.
        if (last === 'load') wanted.add(name)
        else await server.unload(name)
      }
      for (const name of wanted) await server.load(name).catch(() => {})
      expect(answers()).toBe(acts.filter(({ kind }) => kind === 'infer').length)
      // An ensemble brings its steps.
      const needed = wanted.has(pipe) ? (files.states.get(pipe)?.steps ?? []) : []
      expectAsFiles(made, (name) => wanted.has(name) || needed.includes(name))
      await expectNoLeak(made)
    }),
    { numRuns: 60 },
  )
})
