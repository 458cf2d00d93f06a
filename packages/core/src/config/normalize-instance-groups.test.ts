import { describe, expect, test } from 'vitest'
import type { PreferredInstanceGroup } from '../backend/backend.ts'
import { modelConfigFromObject } from './json.ts'
import type { InstanceGroupConfig, InstanceGroupKind, ModelConfigInput } from './model-config.ts'
import { normalizeInstanceGroups } from './normalize-instance-groups.ts'

const prefer = (kind: InstanceGroupKind, count = 0, gpus: number[] = []): PreferredInstanceGroup => ({
  kind,
  count,
  gpus,
})

/** Name, kind, count and GPUs of the groups. */
function groups(
  preferred: readonly PreferredInstanceGroup[] | undefined,
  gpus: readonly number[] = [],
  instanceGroup: NonNullable<ModelConfigInput['instanceGroup']> = [],
  backend = 'b',
) {
  const config = modelConfigFromObject({ name: 'm', backend, instanceGroup })
  return normalizeInstanceGroups(config, { gpus, preferred }).instanceGroup.map(
    ({ name, kind, count, gpus }: InstanceGroupConfig) => [name, kind, count, gpus],
  )
}

describe('a model without groups', () => {
  test.each([undefined, []])("has one of Triton's default where its backend prefers nothing: %s", (preferred) => {
    expect(groups(preferred)).toEqual([['m', 'KIND_CPU', 1, []]])
    expect(groups(preferred, [], [], 'onnxruntime')).toEqual([['m', 'KIND_CPU', 2, []]])
    expect(groups(preferred, [0, 1])).toEqual([['m', 'KIND_GPU', 1, [0, 1]]])
  })

  test('has the first preferred one', () => {
    expect(groups([prefer('KIND_CPU', 3), prefer('KIND_MODEL', 5)], [0])).toEqual([['m', 'KIND_CPU', 3, []]])
    expect(groups([prefer('KIND_MODEL', 2)], [0])).toEqual([['m', 'KIND_MODEL', 2, []]])
  })

  test('has no GPU group without GPUs', () => {
    expect(groups([prefer('KIND_GPU', 2), prefer('KIND_CPU', 4)])).toEqual([['m', 'KIND_CPU', 4, []]])
    expect(groups([prefer('KIND_GPU', 2)])).toEqual([['m', 'KIND_CPU', 1, []]])
  })

  test('has those preferred GPUs that are there, or all', () => {
    expect(groups([prefer('KIND_GPU', 2, [1, 7])], [0, 1])).toEqual([['m', 'KIND_GPU', 2, [1]]])
    expect(groups([prefer('KIND_GPU', 2, [7])], [0, 1])).toEqual([['m', 'KIND_GPU', 2, [0, 1]]])
    expect(groups([prefer('KIND_GPU', 2)], [0, 1])).toEqual([['m', 'KIND_GPU', 2, [0, 1]]])
  })

  test('has the GPU or the CPU where its backend leaves that open', () => {
    expect(groups([prefer('KIND_AUTO', 2, [1])], [0, 1])).toEqual([['m', 'KIND_GPU', 2, [1]]])
    expect(groups([prefer('KIND_AUTO', 2, [7])], [0, 1])[0]?.slice(1, 3)).toEqual(['KIND_CPU', 2])
  })

  test('has a count of its kind where the preferred one has none', () => {
    expect(groups([prefer('KIND_CPU'), prefer('KIND_CPU', 3)])).toEqual([['m', 'KIND_CPU', 3, []]])
    expect(groups([prefer('KIND_CPU')], [], [], 'onnxruntime')).toEqual([['m', 'KIND_CPU', 2, []]])
  })
})

test('groups of a configuration take what they lack from the preferred ones of their kind', () => {
  const preferred = [prefer('KIND_GPU', 2, [7]), prefer('KIND_CPU', 3), prefer('KIND_GPU', 4, [1])]
  const configured = [
    { kind: 'KIND_GPU' },
    { kind: 'KIND_CPU' },
    { kind: 'KIND_CPU', count: 1 },
    { kind: 'KIND_MODEL' },
  ]
  expect(groups(preferred, [0, 1], configured as never)).toEqual([
    ['m_0', 'KIND_GPU', 4, [1]],
    ['m_1', 'KIND_CPU', 3, []],
    ['m_2', 'KIND_CPU', 1, []],
    ['m_3', 'KIND_MODEL', 1, []],
  ])
  expect(groups(preferred, [0, 1], [{ kind: 'KIND_GPU', gpus: [0] }])).toEqual([['m_0', 'KIND_GPU', 2, [0]]])
})
