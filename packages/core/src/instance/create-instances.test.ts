import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { BackendModel, InstanceContext } from '../backend/backend.ts'
import { modelConfigFromObject } from '../config/json.ts'
import { normalizeInstanceGroups } from '../config/normalize-instance-groups.ts'
import { InferenceStats } from '../metrics/inference-stats.ts'
import { systemClock } from '../util/clock.ts'
import { createInstances } from './create-instances.ts'
import { instanceSlots } from './instance-slots.ts'
import type { ModelInstance } from './model-instance.ts'
import { RateLimiter } from './rate-limiter.ts'

const group = { kind: 'KIND_CPU', count: 3, rateLimiter: { resources: [{ name: 'R', count: 1 }] } } as const

/** Makes the instances m_0_0, m_0_1 and m_0_2 under a rate limiter. */
function rig(
  model: Pick<BackendModel, 'parallelInstanceLoading' | 'createInstance'>,
  warmUp = async (_: ModelInstance) => {},
) {
  const limiter = new RateLimiter()
  const backendModel = { ...model, dispose: async () => {} }
  const config = modelConfigFromObject({ name: 'm', backend: 'b', instanceGroup: [group] })
  const slots = instanceSlots(normalizeInstanceGroups(config, { gpus: [] }), new Map(), new AbortController().signal)
  const parts = { backendModel, stats: new InferenceStats(), clock: systemClock, rateLimiter: limiter, warmUp }
  return {
    created: createInstances(slots, parts),
    /** With an instance left, the resource cannot be a global one. */
    expectNobodyRegistered: () =>
      limiter.register({ resources: [{ name: 'R', count: 1, global: true }], priority: 1 }, 0),
  }
}

function instance(log: string[], { name }: InstanceContext, dispose: () => Promise<void> = async () => {}) {
  return {
    execute() {},
    dispose() {
      log.push(name)
      return dispose()
    },
  }
}

test('when one cannot be made the others are given back, even where the backend throws at once', async () => {
  const log: string[] = []
  const { created, expectNobodyRegistered } = rig({
    createInstance(slot) {
      if (slot.name === 'm_0_1') throw new Error('not this one')
      return Promise.resolve(instance(log, slot))
    },
  })
  await expect(created).rejects.toThrow('not this one')
  expect(log).toEqual(['m_0_0', 'm_0_2'])
  expectNobodyRegistered()
})

test.each([
  [
    'at once',
    () => {
      throw new Error('stuck')
    },
  ],
  [
    'later',
    async () => {
      throw new Error('stuck')
    },
  ],
])('an instance that cannot be disposed, %s, hides nothing and stops nobody', async (_, dispose) => {
  const log: string[] = []
  const { created, expectNobodyRegistered } = rig(
    { createInstance: async (slot) => instance(log, slot, dispose) },
    async ({ name }) => {
      if (name === 'm_0_0') throw new Error('cold')
    },
  )
  await expect(created).rejects.toThrow('cold')
  expect(log.sort()).toEqual(['m_0_0', 'm_0_1', 'm_0_2'])
  expectNobodyRegistered()
})

describe('a backend that cannot make several instances at the same time', () => {
  const slowly = (log: string[], fail: string[] = []) => ({
    parallelInstanceLoading: false,
    async createInstance(slot: InstanceContext) {
      log.push(`begin ${slot.name}`)
      await setImmediate()
      log.push(`end ${slot.name}`)
      if (fail.includes(slot.name)) throw new Error(`not ${slot.name}`)
      return instance(log, slot)
    },
  })

  test('makes one after the other', async () => {
    const log: string[] = []
    const { created } = rig(slowly(log))
    expect((await created).map(({ name }) => name)).toEqual(['m_0_0', 'm_0_1', 'm_0_2'])
    expect(log).toEqual(['m_0_0', 'm_0_1', 'm_0_2'].flatMap((name) => [`begin ${name}`, `end ${name}`]))
  })

  test('makes the others even after a failure; the last one is told', async () => {
    const log: string[] = []
    const { created, expectNobodyRegistered } = rig(slowly(log, ['m_0_0', 'm_0_1']))
    await expect(created).rejects.toThrow('not m_0_1')
    expect(log.slice(-2)).toEqual(['end m_0_2', 'm_0_2'])
    expectNobodyRegistered()
  })
})
