import { expect, test } from 'vitest'
import { MemoryStore } from '../../fixtures/memory-store.ts'
import { cleanUp } from '../../fixtures/server-rig.ts'
import { receive } from './receive.ts'
import { Turns } from './turns.ts'

/** Counts the turns of the event loop. */
function turnCount(): () => number {
  let turns = 0
  const count = (): void => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  cleanUp(async () => clearImmediate(next))
  return () => turns
}

test('each that asks gets a turn of its own, in order', async () => {
  const turns = new Turns()
  const count = turnCount()
  const got: [number, number][] = []
  const ask = async (asker: number): Promise<void> => {
    await turns.next()
    got.push([asker, count()])
  }
  await Promise.all([0, 1, 2, 3, 4].map(ask))
  expect(got.map(([asker]) => asker)).toEqual([0, 1, 2, 3, 4])
  expect(new Set(got.map(([, turn]) => turn)).size).toBe(5)
})

test('downloads hash one chunk in a turn, however many there are', async () => {
  const store = new MemoryStore()
  for (let at = 0; at < 16; at++) store.put(`m/${at}`, 'x'.repeat(20 * store.chunkSize))
  const objects = await store.list('')
  const turns = new Turns()
  const nowhere = { writeFile: async () => {}, close: async () => {} }
  const attempt = { signal: new AbortController().signal, alive: () => {} }
  const count = turnCount()
  const options = { open: async () => nowhere, onSize: () => {}, turns }
  await Promise.all(objects.map((object) => receive(store, object, attempt, options)))
  expect(count()).toBeGreaterThanOrEqual(16 * 20)
})
