import { expect, test } from 'vitest'
import { modelConfigFromObject } from '../config/json.ts'
import type { ModelConfigInput } from '../config/model-config.ts'
import { normalizeInstanceGroups } from '../config/normalize-instance-groups.ts'
import { InferenceStats } from '../metrics/inference-stats.ts'
import { systemClock } from '../util/clock.ts'
import { instanceSlots } from './instance-slots.ts'
import { matchInstances } from './match-instances.ts'
import { ModelInstance } from './model-instance.ts'

type Groups = ModelConfigInput['instanceGroup']

function slots(instanceGroup: Groups) {
  const config = modelConfigFromObject({ name: 'm', backend: 'b', instanceGroup: instanceGroup ?? [] })
  const grouped = normalizeInstanceGroups(config, { gpus: [0, 1] })
  return instanceSlots(grouped, new Map(), new AbortController().signal)
}

/** Names of what is kept, missing and surplus. */
function match(before: Groups, after: Groups): string[][] {
  const backend = { execute() {}, async dispose() {} }
  const instances = slots(before).map((slot) => new ModelInstance(slot, backend, new InferenceStats(), systemClock))
  const { kept, missing, surplus } = matchInstances(instances, slots(after))
  return [kept, missing, surplus].map((list) => list.map(({ name }) => name))
}

const cpu = (count: number, more: object = {}) => ({ kind: 'KIND_CPU', count, ...more }) as const
const gpu = (count: number, more: object = {}) => ({ kind: 'KIND_GPU', gpus: [0], count, ...more }) as const

test.each<[string, Groups, Groups, string[][]]>([
  ['more', [cpu(1)], [cpu(3)], [['m_0_0'], ['m_0_1', 'm_0_2'], []]],
  ['fewer', [cpu(3)], [cpu(1)], [['m_0_0'], [], ['m_0_1', 'm_0_2']]],
  ['none is one', [cpu(1)], [cpu(0)], [['m_0_0'], [], []]],
  ['another name', [cpu(2, { name: 'old' })], [cpu(2, { name: 'new' })], [['old_0', 'old_1'], [], []]],
  ['one group as two', [cpu(2)], [cpu(1), cpu(1)], [['m_0_0', 'm_0_1'], [], []]],
  ['another order of groups', [cpu(1), gpu(1)], [gpu(1), cpu(1)], [['m_1_0', 'm_0_0'], [], []]],
  ['another kind', [cpu(1)], [gpu(1)], [[], ['m_0_0'], ['m_0_0']]],
  ['passive', [cpu(1)], [cpu(1, { passive: true })], [[], ['m_0_0'], ['m_0_0']]],
  ['another host policy', [cpu(1)], [cpu(1, { hostPolicy: 'p' })], [[], ['m_0_0'], ['m_0_0']]],
  ['another priority', [cpu(1)], [cpu(1, { rateLimiter: { priority: 2 } })], [[], ['m_0_0'], ['m_0_0']]],
])('%s', (_, before, after, expected) => {
  expect(match(before, after)).toEqual(expected)
})
