import { describe, expect, test } from 'vitest'
import { modelConfigFromObject } from './json.ts'
import type { ModelConfigInput } from './model-config.ts'
import { normalizeModelConfig } from './normalize.ts'
import { normalizeInstanceGroups } from './normalize-instance-groups.ts'

const normalize = (input: ModelConfigInput) => normalizeModelConfig(modelConfigFromObject(input))

describe('normalizeModelConfig', () => {
  test('an empty configuration gets a version policy and pinned memory', () => {
    const config = normalize({})
    expect(config.versionPolicy).toEqual({ latest: { numVersions: 1 } })
    expect(config.optimization).toEqual({
      priority: 'PRIORITY_DEFAULT',
      inputPinnedMemory: { enable: true },
      outputPinnedMemory: { enable: true },
      gatherKernelBufferThreshold: 0,
      eagerBatching: false,
    })
    expect(Object.isFrozen(config.optimization)).toBe(true)
  })

  test('what is set stays', () => {
    const config = normalize({
      versionPolicy: { all: {} },
      optimization: { inputPinnedMemory: { enable: false }, eagerBatching: true },
      dynamicBatching: { preferredBatchSize: [2] },
      maxBatchSize: 8,
    })
    expect(config.versionPolicy).toEqual({ all: {} })
    expect(config.optimization).toMatchObject({
      inputPinnedMemory: { enable: false },
      outputPinnedMemory: { enable: true },
      eagerBatching: true,
    })
    expect(config.dynamicBatching?.preferredBatchSize).toEqual([2])
  })

  test('batchers prefer the greatest batch, and sequences idle for a second', () => {
    expect(normalize({ maxBatchSize: 8, dynamicBatching: {} }).dynamicBatching?.preferredBatchSize).toEqual([8])
    expect(normalize({ dynamicBatching: {} }).dynamicBatching?.preferredBatchSize).toEqual([])
    const { sequenceBatching } = normalize({ maxBatchSize: 4, sequenceBatching: { oldest: {} } })
    expect(sequenceBatching).toMatchObject({
      maxSequenceIdleMicroseconds: 1_000_000,
      oldest: { preferredBatchSize: [4] },
    })
    expect(normalize({ sequenceBatching: { maxSequenceIdleMicroseconds: 5 } }).sequenceBatching).toMatchObject({
      maxSequenceIdleMicroseconds: 5,
    })
  })

  test('an ensemble gets no optimization', () => {
    expect(normalize({ ensembleScheduling: {} }).optimization).toBeUndefined()
  })

  test('twice is once', () => {
    const once = normalize({ maxBatchSize: 3, sequenceBatching: { oldest: {} } })
    expect(normalizeModelConfig(once)).toEqual(once)
  })
})

describe('normalizeInstanceGroups', () => {
  type Groups = ModelConfigInput['instanceGroup']
  /** `name kind*count gpus` of each group. */
  const groups = (instanceGroup: Groups, gpus: number[] = [], { backend = 'x' }: { backend?: string } = {}) => {
    const config = modelConfigFromObject({ name: 'm', backend, instanceGroup })
    return normalizeInstanceGroups(config, { gpus }).instanceGroup.map((group) =>
      [group.name, `${group.kind}*${group.count}`, group.gpus.join()].filter((text) => text !== '').join(' '),
    )
  }

  test('none becomes one, named like the model', () => {
    expect(groups([])).toEqual(['m KIND_CPU*1'])
    expect(groups([], [0, 1])).toEqual(['m KIND_GPU*1 0,1'])
  })

  test('the CPU count of ONNX Runtime and TensorFlow is two, that of a GPU one', () => {
    expect(groups([], [], { backend: 'onnxruntime' })).toEqual(['m KIND_CPU*2'])
    expect(groups([{ kind: 'KIND_CPU', count: -2 }], [], { backend: 'tensorflow' })).toEqual(['m_0 KIND_CPU*2'])
    expect(groups([{}], [3], { backend: 'onnxruntime' })).toEqual(['m_0 KIND_GPU*1 3'])
    expect(groups([{ kind: 'KIND_MODEL' }], [], { backend: 'onnxruntime' })).toEqual(['m_0 KIND_MODEL*1'])
  })

  test('names carry the index of the group', () => {
    expect(groups([{ count: 2 }, { name: 'own' }, {}])).toEqual(['m_0 KIND_CPU*2', 'own KIND_CPU*1', 'm_2 KIND_CPU*1'])
  })

  test('KIND_AUTO is a GPU only where all listed GPUs are usable', () => {
    expect(groups([{ gpus: [0] }, { gpus: [0, 7] }], [0, 1])).toEqual(['m_0 KIND_GPU*1 0', 'm_1 KIND_CPU*1 0,7'])
    expect(groups([{ kind: 'KIND_GPU' }, { kind: 'KIND_GPU', gpus: [5] }])).toEqual([
      'm_0 KIND_GPU*1',
      'm_1 KIND_GPU*1 5',
    ])
  })

  test('an ensemble has none', () => {
    const config = modelConfigFromObject({ ensembleScheduling: {} })
    expect(normalizeInstanceGroups(config, { gpus: [0] })).toBe(config)
  })
})
