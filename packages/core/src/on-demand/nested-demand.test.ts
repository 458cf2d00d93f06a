import { expect, test } from 'vitest'
import type { Backend } from '../backend/backend.ts'
import { config, input } from '../fixtures/server-rig.ts'
import { defineModel, type ModelCode } from '../index.ts'
import { onDemandRig, until } from './fixtures/on-demand-rig.ts'

/** A model whose code asks other models, one after the other, and answers with what the last one says. */
const caller = (...models: string[]): ModelCode =>
  defineModel({
    config: {
      input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [1, 2] }],
      output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [1, 2] }],
      instanceGroup: [{ kind: 'KIND_CPU', count: 4 }],
    },
    async infer(request, context) {
      let IN = request.inputs.IN!
      // Plain values need the signature of the model.
      for (const model of models) IN = (await context.infer(model, { IN: IN.data })).OUT!
      return { OUT: IN }
    },
  })

const message = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  )

test('the models that code asks come on demand, and make room for each other', async () => {
  const { ask, backend, server } = await onDemandRig({ a: 1, b: 1, p: 0 }, 1, { models: { p: caller('a', 'b') } })
  expect(await message(ask('p'))).toBe('ok')
  expect(backend.log).toEqual(['+a', '-a', '+b'])
  expect((await server.index({ ready: true })).map(({ name }) => name)).toEqual(['b', 'p'])
})

test('a model that does not fit beside the one that asks for it is refused at once', async () => {
  const sizes: Record<string, number> = { a: 2, p: 2 }
  const { ask } = await onDemandRig(sizes, 3, { models: { p: caller('a') } })
  expect(await message(ask('p'))).toBe(
    "UNAVAILABLE: request to model 'a' would wait for ever: it does not fit into the memory budget beside the models that " +
      "wait for it ('p')",
  )
  expect(await message(ask('a'))).toBe('ok')
})

test('nor does it wait for a caller that waits itself', async () => {
  const rig = await onDemandRig({ a: 2, b: 2, p: 2, q: 2 }, 5, { models: { p: caller('a'), q: caller('b') } })
  const { ask, server, backend } = rig
  backend.held.add('a')
  backend.held.add('b')
  const leases = await Promise.all([server.lease('p'), server.lease('q')])
  for (const lease of leases) lease[Symbol.dispose]()
  // Each of them may wait for the other one's model alone.
  const answers = [message(ask('p')), message(ask('q'))]
  await Promise.race(answers)
  let open = 2
  for (const answer of answers) void answer.finally(() => open--)
  while (open > 0) {
    await backend.answer('a')
    await backend.answer('b')
  }
  const heard = await Promise.all(answers)
  expect(heard.filter((text) => text === 'ok').length).toBe(1)
  expect(heard.filter((text) => text.includes('would wait for ever')).length).toBe(1)
  expect(backend.mostUsed).toBeLessThanOrEqual(5)
})

test('a request of code goes before those of applications, which wait for the memory that it holds', async () => {
  const rig = await onDemandRig({ a: 1, b: 3, c: 1, p: 1 }, 3, { models: { p: caller('c', 'a') } })
  const { ask, backend, waitingLoads } = rig
  backend.held.add('c')
  const outer = ask('p')
  await until(() => backend.waiting('c') > 0)
  const big = ask('b')
  await waitingLoads(1)
  backend.held.clear()
  await backend.answer('c')
  await Promise.all([outer, big])
  expect(backend.log.indexOf('+a')).toBeLessThan(backend.log.indexOf('+b'))
})

test('a request of code waits no longer than the one that it serves', async () => {
  const { server, clock, waitingLoads } = await onDemandRig({ a: 2, p: 0, x: 2 }, 2, { models: { p: caller('a') } })
  const lease = await server.lease('x')
  const late = message(server.infer('p', input(), { timeoutMicroseconds: 1_000_000 }))
  const abort = new AbortController()
  const cancelled = message(server.infer('p', input(), { signal: abort.signal }))
  await waitingLoads(1)
  await clock.advance(1000)
  expect(await late).toBe("UNAVAILABLE: Request timeout expired before model 'a' was loaded")
  abort.abort()
  expect(await cancelled).toMatch('CANCELLED')
  await waitingLoads(0)
  lease[Symbol.dispose]()
})

test('a model that asks for another while it is loaded brings it, unless that asks for it in turn', async () => {
  const asking = (other: string): Backend => ({
    name: `asks-${other}`,
    async createModel({ server }) {
      const { outputs } = await server.infer(other, -1, { inputs: [{ name: 'IN', tensor: probe }] })
      expect(outputs).toHaveProperty('OUT')
      return {
        createInstance: async () => ({
          execute: (requests) => {
            for (const request of requests) request.respond({ outputs: { OUT: request.inputs.get('IN')! } })
          },
          dispose: async () => {},
        }),
        dispose: async () => {},
      }
    },
  })
  const { OUT: probe } = (await (await onDemandRig({ a: 1 }, 1)).server.infer('a', input())) as { OUT: never }
  const backends = ['a', 'r', 's'].map(asking)
  const files = Object.fromEntries(
    Object.entries({ q: 'a', r: 's', s: 'r' }).flatMap(([name, other]) => [
      [`${name}/config.pbtxt`, config().replace('"identity"', `"asks-${other}"`)],
      [`${name}/1/`, ''],
    ]),
  )
  const rig = await onDemandRig({ a: 1 }, 9, {}, files, backends)
  expect(await message(rig.ask('q'))).toBe('ok')
  expect(rig.backend.log).toEqual(['+a'])
  expect(await message(rig.ask('r'))).toMatch(/cannot wait for a load or unload of model/)
})

test('a caller that is unloaded while it runs does not wait for its own memory', async () => {
  const rig = await onDemandRig({ a: 2, c: 0, p: 1, x: 1 }, 3, { models: { p: caller('c', 'a') } })
  const { ask, server, backend } = rig
  await ask('x')
  backend.held.add('c')
  const running = message(ask('p'))
  await until(() => backend.waiting('c') > 0)
  await server.unload('p')
  backend.letGo()
  expect(await running).toBe('ok')
  expect(backend.log).toEqual(['+x', '+c', '-x', '+a'])
})

test('nor for its own end, where it is asked for by what it asks', async () => {
  const rig = await onDemandRig({ c: 0, p: 1, q: 1 }, 5, { models: { p: caller('c', 'q'), q: caller('p') } })
  const { ask, server, backend } = rig
  backend.held.add('c')
  const running = message(ask('p'))
  await until(() => backend.waiting('c') > 0)
  await server.unload('p')
  backend.letGo()
  expect(await running).toMatch("request to model 'p' would wait for ever")
})

test('a model that makes room for others still serves the models that run', async () => {
  const rig = await onDemandRig({ a: 1, b: 3, c: 0, p: 2 }, 3, { models: { p: caller('c', 'a') } })
  const { ask, backend, clock, waitingLoads } = rig
  backend.held.add('c')
  backend.held.add('a')
  const own = message(ask('a'))
  const outer = message(ask('p'))
  await until(() => backend.waiting('c') > 0 && backend.waiting('a') > 0)
  const big = message(ask('b'))
  await waitingLoads(1)
  await clock.advance(1000)
  const later = message(ask('a'))
  await waitingLoads(2)
  await backend.answer('c')
  while (backend.waiting('a') === 0) await backend.answer('a')
  backend.letGo()
  expect(await Promise.all([own, outer, big, later])).toEqual(['ok', 'ok', 'ok', 'ok'])
  expect(backend.mostUsed).toBe(3)
})
