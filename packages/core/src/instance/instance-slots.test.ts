import { expect, test } from 'vitest'
import { modelConfigFromObject } from '../config/json.ts'
import type { ModelConfigInput } from '../config/model-config.ts'
import { normalizeInstanceGroups } from '../config/normalize-instance-groups.ts'
import { type HostPolicies, instanceSlots } from './instance-slots.ts'

function slots(instanceGroup: ModelConfigInput['instanceGroup'], policies: HostPolicies = new Map()) {
  const config = modelConfigFromObject({ name: 'm', backend: 'b', instanceGroup: instanceGroup ?? [] })
  return instanceSlots(normalizeInstanceGroups(config, { gpus: [0, 1] }), policies, new AbortController().signal)
}

test('names, devices and order are those of Triton', () => {
  const groups = [
    { kind: 'KIND_GPU', count: 2 },
    { name: 'spare', kind: 'KIND_CPU', count: 2 },
    { kind: 'KIND_MODEL' },
    { kind: 'KIND_AUTO', gpus: [1] },
    { kind: 'KIND_AUTO', gpus: [7] },
  ] as const
  const found = slots(groups.slice(0, 4)).map(({ name, kind, deviceId }) => `${name} ${kind} ${deviceId}`)
  expect(found).toEqual([
    'm_0_0 KIND_GPU 0',
    'm_0_0 KIND_GPU 1',
    'm_0_1 KIND_GPU 0',
    'm_0_1 KIND_GPU 1',
    'spare_0 KIND_CPU 0',
    'spare_1 KIND_CPU 0',
    'm_2_0 KIND_MODEL 0',
    'm_3_0 KIND_GPU 1',
  ])
  expect(slots(groups).at(-1)).toMatchObject({ name: 'm_4_0', kind: 'KIND_CPU', deviceId: 0 })
})

test('a model without a group has one that is named like the model', () => {
  expect(slots([]).map(({ name }) => name)).toEqual(['m_0', 'm_0'])
})

test('host policies have default names by kind, and the settings that the Server was given', () => {
  const policies: HostPolicies = new Map([
    ['gpu_1', { 'numa-node': '1' }],
    ['mine', { 'cpu-cores': '0-3' }],
  ])
  const groups = [
    { kind: 'KIND_GPU' },
    { kind: 'KIND_CPU' },
    { kind: 'KIND_MODEL' },
    { kind: 'KIND_CPU', hostPolicy: 'mine' },
    { kind: 'KIND_CPU', hostPolicy: 'constructor' },
  ] as const
  expect(slots(groups, policies).map(({ hostPolicy }) => hostPolicy)).toEqual([
    { name: 'gpu_0', settings: {} },
    { name: 'gpu_1', settings: { 'numa-node': '1' } },
    { name: 'cpu', settings: {} },
    { name: 'model', settings: {} },
    { name: 'mine', settings: { 'cpu-cores': '0-3' } },
    { name: 'constructor', settings: {} },
  ])
})

test('profiles and secondary devices reach the backend with the group', () => {
  const secondaryDevices = [{ kind: 'KIND_NVDLA', deviceId: 1 }] as const
  const [slot] = slots([{ kind: 'KIND_GPU', gpus: [1], profile: ['2'], secondaryDevices }])
  expect(slot?.group).toMatchObject({ profile: ['2'], secondaryDevices })
})
