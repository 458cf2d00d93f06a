import type { ModelConfig, ServerOptions } from '@triton-ts/core'
import { type OnnxTensorInfo, onnxModel } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { contract, type ExecutorKind, failedLoad, withServer } from './executors.ts'

type Shape = OnnxTensorInfo['shape']

/** One input A and one output B. */
const model = (inputShape: Shape, outputShape = inputShape, datatype: OnnxTensorInfo['datatype'] = 'FP32') =>
  onnxModel({
    inputs: [{ name: 'A', datatype, shape: inputShape }],
    outputs: [{ name: 'B', datatype, shape: outputShape }],
    nodes: [{ op: 'Identity', inputs: ['A'], outputs: ['B'] }],
  })

/** Two inputs and two outputs. */
const four = onnxModel({
  inputs: ['A', 'A2'].map((name) => ({ name, datatype: 'FP32', shape: ['n', 2] })),
  outputs: ['B', 'B2'].map((name) => ({ name, datatype: 'FP32', shape: ['n', 2] })),
  nodes: ['', '2'].map((more) => ({ op: 'Identity', inputs: [`A${more}`], outputs: [`B${more}`] })),
})

async function completed(
  kind: ExecutorKind,
  file: Uint8Array,
  config = '',
  options: ServerOptions = {},
): Promise<ModelConfig> {
  let result: ModelConfig | undefined
  const files = { 'm/1/model.onnx': file, 'm/config.pbtxt': `backend: "onnxruntime" ${config}` }
  const use = async (server: { model(name: string): { config: ModelConfig } }) => {
    result = server.model('m').config
  }
  await withServer(kind, files, use, options)
  return result as ModelConfig
}

const input = 'input { name: "A" data_type: TYPE_FP32 dims: [ 16 ] }'
const output = 'output { name: "B" data_type: TYPE_FP32 dims: [ 16 ] }'
const batch = (size: number) => `max_batch_size: ${size}`

contract((kind) => {
  test('a variable first dimension everywhere: the default batch size and the dynamic batcher', async () => {
    expect(await completed(kind, model(['n', 16]))).toMatchObject({
      maxBatchSize: 4,
      dynamicBatching: { preferredBatchSize: [4] },
      input: [{ name: 'A', dataType: 'TYPE_FP32', dims: [16] }],
      output: [{ name: 'B', dataType: 'TYPE_FP32', dims: [16] }],
    })
  })

  test.each([
    ['16', 16, true],
    ['1', 1, false],
    ['0', 0, false],
    ['-3', 0, false],
  ])('default-max-batch-size %s', async (setting, maxBatchSize, batcher) => {
    const backendConfig = { onnxruntime: { 'default-max-batch-size': setting } }
    const config = await completed(kind, model(['n', 16]), '', { backendConfig })
    expect(config.maxBatchSize).toBe(maxBatchSize)
    expect(config.dynamicBatching !== undefined).toBe(batcher)
  })

  test('the configured batch size and scheduler stay', async () => {
    expect(await completed(kind, model(['n', 16]), batch(2))).toMatchObject({ maxBatchSize: 2 })
    const sequence = 'sequence_batching { max_sequence_idle_microseconds: 1 }'
    expect((await completed(kind, model(['n', 16]), sequence)).dynamicBatching).toBeUndefined()
  })

  test.each<[string, Shape, Shape]>([
    ['a fixed first dimension', [2, 16], [2, 16]],
    ['a fixed first dimension of an output', ['n'], [2]],
    ['a scalar', [], []],
  ])('%s: no batching', async (_, inputShape, outputShape) => {
    const config = await completed(kind, model(inputShape, outputShape))
    expect(config.maxBatchSize).toBe(0)
    expect(config.dynamicBatching).toBeUndefined()
  })

  test('a configured batch size that the model cannot have', async () => {
    const files = { 'm/1/model.onnx': model([2, 16]), 'm/config.pbtxt': `backend: "onnxruntime" ${batch(4)}` }
    expect(await failedLoad(kind, files)).toContain(
      "autofill failed for model 'm': model does not support batching while non-zero max_batch_size is specified",
    )
  })

  test('nothing is added to a configuration that has both, only the missing side otherwise', async () => {
    expect(await completed(kind, model(['n']), `${input} ${output.replace('16', '-1')}`)).toMatchObject({
      maxBatchSize: 0,
      input: [{ dims: [16] }],
    })
    const withInput = await completed(kind, model(['n', 16]), `${batch(2)} ${input}`)
    expect(withInput.output).toMatchObject([{ name: 'B', dims: [16] }])
    const withOutput = await completed(kind, model(['n', 16]), `${batch(2)} ${output}`)
    expect(withOutput.input).toMatchObject([{ name: 'A', dims: [16] }])
  })

  test('the last tensor of the model comes first', async () => {
    const config = await completed(kind, four)
    expect(config.input.map(({ name }) => name)).toEqual(['A2', 'A'])
    expect(config.output.map(({ name }) => name)).toEqual(['B2', 'B'])
  })

  test('tensors without dimensions', async () => {
    const scalar = await completed(kind, model([], [], 'BYTES'))
    expect(scalar.input[0]).toMatchObject({ dataType: 'TYPE_STRING', dims: [1] })
    expect(scalar.input[0]).not.toHaveProperty('reshape')
    const batched = await completed(kind, model(['n']))
    expect(batched.input[0]).toMatchObject({ dims: [1], reshape: { shape: [] } })
    expect(batched.output[0]).toMatchObject({ dims: [1], reshape: { shape: [] } })
  })
})
