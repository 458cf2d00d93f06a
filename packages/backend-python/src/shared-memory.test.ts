import { tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { config, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'

const test = pythonTest()
const identity = `
    def execute(self, requests):
        return [answer(values_of(request)) for request in requests]`
const files = { 'm/config.pbtxt': config(), 'm/1/model.py': model(identity) }

/** Sends tensors of these lengths and expects them back. */
async function echo(rig: PythonRig, lengths: readonly number[]): Promise<void> {
  await Promise.all(
    lengths.map(async (length) => {
      const data = Int32Array.from({ length }, (_, i) => i * length)
      const { OUT } = await rig.server.infer('m', { IN: tensor('INT32', [length], data) })
      expect(Buffer.compare(OUT?.bytes ?? new Uint8Array(), new Uint8Array(data.buffer))).toBe(0)
    }),
  )
}

const lengths = [0, 1, 16_384, 16_385, 150_000, 1_000_000, 300_000, 5]

test('tensors of every size go and come whole, again and again', async ({ executable }) => {
  await using rig = await PythonRig.start(executable, files)
  for (let round = 0; round < 5; round++) await echo(rig, lengths)
})

test('without room in shared memory, and without shared memory, they go through the socket', async ({ executable }) => {
  for (const internals of [{ sharedMemoryLimit: 1 << 20 }, { sharedMemory: '/does/not/exist' }]) {
    await using rig = await PythonRig.start(executable, files, { internals })
    await echo(rig, lengths)
  }
})

test('a model that keeps its inputs keeps their values', async ({ executable }) => {
  const keeps = `
    def initialize(self, args):
        self.kept = []
    def execute(self, requests):
        self.kept += [values_of(request) for request in requests]
        return [answer([kept[-1] for kept in self.kept]) for _ in requests]`
  const kept = { 'm/config.pbtxt': config(), 'm/1/model.py': model(keeps) }
  await using rig = await PythonRig.start(executable, kept)
  let last: unknown
  for (let i = 0; i < 8; i++) {
    const { OUT } = await rig.server.infer('m', { IN: tensor('INT32', [100_000], new Int32Array(100_000).fill(i)) })
    last = [...((OUT?.data ?? []) as Int32Array)]
  }
  expect(last).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})
