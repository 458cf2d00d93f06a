import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { ExitGuard } from './exit-guard.ts'
import { RunGate } from './run-gate.ts'

test('nobody enters a gate that is shut', () => {
  const gate = new RunGate()
  expect(gate.enter()).toBe(true)
  expect(gate.enter()).toBe(false)
  gate.leave()
  expect(gate.shut()).toBe(true)
  expect(gate.shut()).toBe(true)
  expect(gate.enter()).toBe(false)
})

test('shutting waits for whoever is inside', async () => {
  const gate = new RunGate()
  gate.enter()
  const source = `
    const words = new Int32Array(require('node:worker_threads').workerData)
    Atomics.store(words, 1, 7)
    Atomics.store(words, 0, 0)
    Atomics.notify(words, 0)`
  const worker = new Worker(source, { eval: true, workerData: gate.memory })
  gate.shut()
  expect(gate.requestCount).toBe(7)
  await once(worker, 'exit')
})

test('patience with whoever is inside may end', () => {
  const gate = new RunGate()
  gate.enter()
  expect(gate.shut(1)).toBe(false)
  gate.leave()
  expect(gate.shut(1)).toBe(true)
})

test('both sides see the same counters', () => {
  const gate = new RunGate()
  const other = new RunGate(gate.memory)
  gate.countRequest()
  other.countAnswer()
  expect([other.requestCount, gate.answerCount]).toEqual([1, 1])
})

test('the guard listens for the end of the process only while there are gates', () => {
  const before = process.listenerCount('exit')
  const guard = new ExitGuard()
  const [first, second] = [new RunGate(), new RunGate()]
  guard.add(first)
  guard.add(second)
  expect(process.listenerCount('exit')).toBe(before + 1)
  guard.delete(first)
  guard.delete(first)
  expect(process.listenerCount('exit')).toBe(before + 1)
  guard.delete(second)
  expect(process.listenerCount('exit')).toBe(before)
})
