import { expect, test } from 'vitest'
import { ensemble } from './fixtures/ensemble-files.ts'
import { onDemandRig, until } from './fixtures/on-demand-rig.ts'

const message = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  )

test('an ensemble brings its steps and takes them along', async () => {
  const rig = await onDemandRig({ a: 1, b: 1, c: 1 }, 2, {}, ensemble('e', 'a', 'b'))
  const { ask, backend, loaded } = rig
  await ask('e')
  expect(await loaded()).toEqual(['a', 'b', 'e'])
  await ask('c')
  expect(await loaded()).toEqual(['c'])
  expect(backend.mostUsed).toBe(2)
  await ask('e')
  expect(await loaded()).toEqual(['a', 'b', 'e'])
})

test('a step that was asked for itself since stays', async () => {
  const { ask, loaded, backend } = await onDemandRig({ a: 1, b: 1, c: 1 }, 2, {}, ensemble('e', 'a', 'b'))
  await ask('e')
  await ask('b')
  await ask('c')
  expect(await loaded()).toEqual(['b', 'c'])
  expect(backend.log.filter((line) => line.startsWith('-'))).toEqual(['-a'])
})

test('a step is not evicted before the ensembles that need it', async () => {
  const files = { ...ensemble('e', 'a', 'b'), ...ensemble('f', 'b', 'c') }
  const { ask, loaded } = await onDemandRig({ a: 1, b: 1, c: 1, d: 1 }, 3, {}, files)
  await ask('e')
  await ask('f')
  await ask('d')
  expect(await loaded()).toEqual(['b', 'c', 'd', 'f'])
})

test('steps are not evicted while a request of the ensemble runs', async () => {
  const rig = await onDemandRig({ a: 1, b: 1, c: 1 }, 2, {}, ensemble('e', 'a', 'b'))
  const { ask, backend, waitingLoads } = rig
  backend.held.add('b')
  const running = ask('e')
  await until(() => backend.waiting('b') > 0)
  const waiting = ask('c')
  await waitingLoads(1)
  expect(backend.log).not.toContain('-a')
  await backend.answer('b')
  await Promise.all([running, waiting])
})

test('two that do not fit together come one after the other', async () => {
  const files = { ...ensemble('e', 'a', 'b'), ...ensemble('f', 'c', 'd') }
  const { ask, backend } = await onDemandRig({ a: 1, b: 1, c: 1, d: 1 }, 3, {}, files)
  expect(await Promise.all([message(ask('e')), message(ask('f')), message(ask('a'))])).toEqual(['ok', 'ok', 'ok'])
  expect(backend.mostUsed).toBeLessThanOrEqual(3)
})

test('one whose steps do not fit, or cannot be loaded, is refused, and keeps nothing there', async () => {
  const files = { ...ensemble('e', 'a', 'b'), ...ensemble('g', 'a', 'x'), ...ensemble('h', 'c', 'h') }
  const { ask, backend, loaded, clock } = await onDemandRig({ a: 2, b: 2, c: 1, d: 3 }, 3, {}, files)
  expect(await message(ask('e'))).toBe("UNAVAILABLE: model 'e' needs 4 B, but the memory budget is 3 B")
  expect(await message(ask('g'))).toMatch(/^UNAVAILABLE: model 'g' could not be loaded: .* x$/)
  expect(await message(ask('h'))).toMatch(/^UNAVAILABLE: model 'h' could not be loaded/)
  await clock.advance(60_000)
  expect(await message(ask('d'))).toBe('ok')
  expect(await loaded()).toEqual(['d'])
  backend.broken.add('c')
  expect(await message(ask('c'))).toMatch('c is broken')
})

test('unloading a step takes the ensemble along, and unloading the ensemble its steps where they are told to go', async () => {
  const { ask, server, loaded } = await onDemandRig({ a: 1, b: 1 }, 2, {}, ensemble('e', 'a', 'b'))
  await ask('e')
  await server.unload('a', { waitUntilUnloaded: true })
  expect(await loaded()).toEqual(['b'])
  expect(await message(ask('e'))).toBe('ok')
  await server.unload('e', { waitUntilUnloaded: true })
  expect(await loaded()).toEqual(['a', 'b'])
  await ask('e')
  await server.unload('e', { unloadDependents: true, waitUntilUnloaded: true })
  expect(await loaded()).toEqual([])
  expect(await message(ask('e'))).toBe('ok')
})

test('an ensemble and its steps may be asked for at the same time, also where there is room for one of each alone', async () => {
  const { ask, server, backend, waitingLoads } = await onDemandRig({ a: 1, b: 1, x: 2 }, 2, {}, ensemble('e', 'a', 'b'))
  expect(await Promise.all([message(ask('e')), message(ask('a')), message(ask('b'))])).toEqual(['ok', 'ok', 'ok'])
  const lease = await server.lease('x')
  const whole = message(ask('e'))
  await waitingLoads(1)
  const step = message(ask('a'))
  await waitingLoads(2)
  lease[Symbol.dispose]()
  expect(await Promise.all([whole, step])).toEqual(['ok', 'ok'])
  expect(backend.mostUsed).toBe(2)
})

test('where an ensemble fails, a step counts as long as another request loads it', async () => {
  const { ask, backend, figure } = await onDemandRig({ a: 1, b: 1, c: 2 }, 2, {}, ensemble('e', 'a', 'b'))
  backend.broken.add('b')
  const whole = message(ask('e'))
  const step = message(ask('a'))
  const [text] = await Promise.all([whole, step])
  expect(text).toMatch('b is broken')
  expect(await step).toBe('ok')
  expect(figure('memory_used_bytes')).toBe(1)
  expect(await message(ask('c'))).toBe('ok')
  expect(backend.mostUsed).toBe(2)
})
