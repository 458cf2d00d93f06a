import { describe, expect, test } from 'vitest'
import { config, started } from '../fixtures/server-rig.ts'
import { defineModel, type InferOptions, type Server } from '../index.ts'
import { chain } from '../lifecycle/fixtures/ensemble-config.ts'
import { request, twoLatest, versions } from './fixtures/split-rig.ts'

const IN = [1, 2]

/** Inferences of each version of `m`. */
const counts = (server: Server): number[] => server.statistics('m').map(({ inferenceCount }) => inferenceCount)

/** A Server with a split of `m`, which the model `caller` asks, with `options`. */
async function calling(weights: Record<number, number>, options: InferOptions): Promise<Server> {
  const tensors = { dataType: 'TYPE_FP32', dims: [1, 2] } as const
  const caller = defineModel({
    config: { input: [{ name: 'IN', ...tensors }], output: [{ name: 'OUT', ...tensors }] },
    infer: async ({ inputs }, context) => context.infer('m', { IN: inputs.IN! }, options),
  })
  const trafficSplit = { m: { weights } }
  return started(versions('m', twoLatest(), 1, 2), { trafficSplit, models: { caller } })
}

async function ask(server: Server, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await server.infer('caller', { IN })
}

describe('the request of a model to another', () => {
  test('is divided as any other when it names no version', async () => {
    const server = await calling({ 1: 3, 2: 1 }, {})
    await ask(server, 8)
    expect(counts(server)).toEqual([6, 2])
  })

  test('may have a key, and weights of its own', async () => {
    const server = await calling({ 1: 1, 2: 1 }, { stickyKey: 'user-1' })
    await ask(server, 8)
    expect(counts(server).sort()).toEqual([0, 8])
    const own = await calling({ 1: 1 }, { trafficSplit: { 2: 1 } })
    await ask(own, 3)
    expect(counts(own)).toEqual([0, 3])
  })

  test('gets the version that it names', async () => {
    const server = await calling({ 1: 1 }, { version: 2 })
    await ask(server, 3)
    expect(counts(server)).toEqual([0, 3])
  })
})

describe('an ensemble', () => {
  test('sends its steps to the version that they name, or the highest, whatever the split of a step says', async () => {
    const files = {
      ...versions('m', twoLatest(), 1, 2),
      ...versions('e', chain('m'), 1),
      ...versions('f', chain('m:1'), 1),
    }
    const server = await started(files, { trafficSplit: { m: { weights: { 1: 100 } } } })
    for (let i = 0; i < 3; i++) await server.infer('e', { IN })
    await server.infer('f', { IN })
    expect(counts(server)).toEqual([1, 3])
  })

  test('may have a split of its own', async () => {
    const policy = chain('a').replace('max_batch_size', 'version_policy { latest { num_versions: 2 } } max_batch_size')
    const files = { ...versions('a', config(), 1), ...versions('m', policy, 1, 2) }
    const server = await started(files, { trafficSplit: { m: { weights: { 1: 2, 2: 1 } } } })
    for (let i = 0; i < 6; i++) await server.model('m').request(request())
    expect(counts(server)).toEqual([4, 2])
  })
})
