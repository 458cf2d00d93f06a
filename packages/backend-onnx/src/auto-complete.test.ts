import type { ModelConfig } from '@triton-ts/core'
import { describe, expect, test } from 'vitest'
import { autoComplete } from './auto-complete.ts'
import type { ModelSignature, TensorInfo } from './onnx-executor.ts'
import { inputConfig, modelConfig, modelContext, outputConfig } from './test-support.ts'

const model = (inputShape: readonly number[], outputShape = inputShape, datatype: TensorInfo['datatype'] = 'FP32') =>
  ({
    inputs: [{ name: 'A', datatype, shape: inputShape }],
    outputs: [{ name: 'B', datatype, shape: outputShape }],
    initializers: [],
    initializerNames: [],
  }) satisfies ModelSignature

const complete = (signature: ModelSignature, fields: Partial<ModelConfig> = {}, backendConfig = {}) =>
  autoComplete(modelContext('/repository', { config: modelConfig(fields), backendConfig }), signature)

describe('batching', () => {
  test('a variable first dimension everywhere: the default batch size and the dynamic batcher', () => {
    expect(complete(model([-1, 16]))).toMatchObject({
      maxBatchSize: 4,
      dynamicBatching: { preferredBatchSize: [] },
      input: [{ name: 'A', dataType: 'TYPE_FP32', dims: [16] }],
      output: [{ name: 'B', dataType: 'TYPE_FP32', dims: [16] }],
    })
  })

  test.each([
    ['16', 16, true],
    ['1', 1, false],
    ['0', 0, false],
    ['-3', 0, false],
  ])('default-max-batch-size %s', (setting, maxBatchSize, batcher) => {
    const completed = complete(model([-1, 16]), {}, { 'default-max-batch-size': setting })
    expect(completed?.maxBatchSize).toBe(maxBatchSize)
    expect(completed?.dynamicBatching !== undefined).toBe(batcher)
  })

  test('the configured batch size stays', () => {
    expect(complete(model([-1, 16]), { maxBatchSize: 2 })).toMatchObject({ maxBatchSize: 2 })
  })

  test('the configured scheduler stays', () => {
    const sequenceBatching = {
      maxSequenceIdleMicroseconds: 0,
      controlInput: [],
      state: [],
      iterativeSequence: false,
    }
    expect(complete(model([-1, 16]), { sequenceBatching })).not.toHaveProperty('dynamicBatching')
  })

  test('a fixed first dimension or a scalar anywhere: no batching', () => {
    for (const signature of [model([2, 16]), model([-1, 16], [2]), model([-1], [])]) {
      expect(complete(signature)).toMatchObject({ maxBatchSize: 0 })
      expect(complete(signature)).not.toHaveProperty('dynamicBatching')
    }
  })

  test('a configured batch size that the model cannot have', () => {
    expect(() => complete(model([2, 16]), { maxBatchSize: 4 })).toThrow(
      "autofill failed for model 'm': model does not support batching while non-zero max_batch_size is specified",
    )
  })
})

describe('inputs and outputs', () => {
  const input = [inputConfig('A', 'TYPE_FP32', [16])]
  const output = [outputConfig('B', 'TYPE_FP32', [16])]

  test('nothing is added to a configuration that has both', () => {
    expect(complete(model([-1, 16]), { input, output })).toBeUndefined()
  })

  test('only the missing side is added', () => {
    expect(complete(model([-1, 16]), { input })).not.toHaveProperty('input')
    expect(complete(model([-1, 16]), { input })).toHaveProperty('output')
    expect(complete(model([-1, 16]), { output })).toHaveProperty('input')
    expect(complete(model([-1, 16]), { output })).not.toHaveProperty('output')
  })

  test('the last tensor of the model comes first', () => {
    const { inputs, outputs } = model([-1, 16])
    const completed = complete({
      ...model([-1, 16]),
      inputs: [...inputs, { name: 'A2', datatype: 'INT8', shape: [-1, 2] }],
      outputs: [...outputs, { name: 'B2', datatype: 'INT8', shape: [-1, 2] }],
    })
    expect(completed?.input?.map(({ name }) => name)).toEqual(['A2', 'A'])
    expect(completed?.output?.map(({ name }) => name)).toEqual(['B2', 'B'])
  })

  test('tensors without dimensions', () => {
    const scalar = complete(model([], [], 'BYTES'))
    expect(scalar?.input?.[0]).toMatchObject({ dataType: 'TYPE_STRING', dims: [1] })
    expect(scalar?.input?.[0]).not.toHaveProperty('reshape')
    const batched = complete(model([-1]))
    expect(batched?.input?.[0]).toMatchObject({ dims: [1], reshape: { shape: [] } })
    expect(batched?.output?.[0]).toMatchObject({ dims: [1], reshape: { shape: [] } })
  })

  test('an element type that Triton does not know', () => {
    const signature = { ...model([1]), inputs: [{ name: 'A', datatype: undefined, shape: [1] }] }
    expect(complete(signature)?.input?.[0]?.dataType).toBe('TYPE_INVALID')
  })
})
