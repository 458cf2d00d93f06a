import { setImmediate } from 'node:timers/promises'
import { type DataType, Server, type Tensor, tensor } from '@triton-ts/core'
import { modelRepository, type OnnxModelSpec, onnxModel, virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { onnx } from '../index.ts'
import { contract, type ExecutorKind } from './executors.ts'

/** Triton's L0_batch_input: requests of different lengths run as one batch of a real model. */

/**
 * The model sees a ragged tensor and a tensor about the batch, neither of which has a batch dimension. It gives every
 * request of the batch a copy of both, so that the answers show what it got. SIZE, which has an entry for each item,
 * only tells how many copies there are to be.
 */
const spreading = (type: Extract<DataType, 'FP32' | 'INT32'>): OnnxModelSpec => ({
  inputs: [
    { name: 'RAGGED', datatype: 'FP32', shape: ['elements'] },
    { name: 'SIZE', datatype: type, shape: ['items'] },
    { name: 'ABOUT', datatype: type, shape: ['n'] },
  ],
  outputs: [
    { name: 'RAGGED_OUT', datatype: 'FP32', shape: ['items', 'elements'] },
    { name: 'SIZE_OUT', datatype: type, shape: ['items', 'items2'] },
    { name: 'ABOUT_OUT', datatype: type, shape: ['items', 'n'] },
  ],
  nodes: [
    { op: 'Sub', inputs: ['SIZE', 'SIZE'], outputs: ['zeros'] },
    { op: 'Reshape', inputs: ['zeros', 'column'], outputs: ['zeroColumn'] },
    { op: 'Cast', inputs: ['zeroColumn'], outputs: ['floatColumn'], attributes: { to: 1 } },
    { op: 'Add', inputs: ['floatColumn', 'RAGGED'], outputs: ['RAGGED_OUT'] },
    { op: 'Add', inputs: ['zeroColumn', 'SIZE'], outputs: ['SIZE_OUT'] },
    { op: 'Add', inputs: ['zeroColumn', 'ABOUT'], outputs: ['ABOUT_OUT'] },
  ],
  initializers: { column: tensor('INT64', [2], BigInt64Array.of(-1n, 1n)) },
})

const spreadingConfig = (kind: string, type: string, dims: string) => `
  max_batch_size: 8
  input { name: "RAGGED" data_type: TYPE_FP32 dims: [ ${dims} ] allow_ragged_batch: true }
  output { name: "RAGGED_OUT" data_type: TYPE_FP32 dims: -1 }
  output { name: "SIZE_OUT" data_type: TYPE_${type} dims: -1 }
  output { name: "ABOUT_OUT" data_type: TYPE_${type} dims: -1 }
  batch_input { kind: BATCH_ELEMENT_COUNT target_name: "SIZE" data_type: TYPE_${type} source_input: "RAGGED" }
  batch_input { kind: ${kind} target_name: "ABOUT" data_type: TYPE_${type} source_input: "RAGGED" }`

const identity = onnxModel({
  inputs: [{ name: 'IN', datatype: 'FP32', shape: ['n'] }],
  outputs: [{ name: 'OUT', datatype: 'FP32', shape: ['n'] }],
  nodes: [{ op: 'Identity', inputs: ['IN'], outputs: ['OUT'] }],
})

/** Sends inputs filled with their first size, all in one batch of model `m`, and returns the answers. */
async function inOneBatch(
  kind: ExecutorKind,
  model: Uint8Array,
  config: string,
  name: string,
  shapes: readonly (readonly number[])[],
): Promise<Record<string, Tensor>[]> {
  await using repository = await modelRepository({
    'm/1/model.onnx': model,
    'm/config.pbtxt': `${config} instance_group { kind: KIND_CPU count: 1 }
      dynamic_batching { max_queue_delay_microseconds: 1000000 }`,
  })
  const clock = virtualClock()
  await using server = await Server.start({
    modelRepository: repository.path,
    backends: [onnx({ executor: kind })],
    clock,
  })
  const answers = shapes.map((shape) => {
    const length = shape.reduce((product, size) => product * size, 1)
    const value = shape.find((size, i) => i > 0 && size > 1) ?? 1
    return server.infer('m', { [name]: tensor('FP32', shape, new Float32Array(length).fill(value)) })
  })
  await setImmediate()
  clock.advance(1000)
  const outputs = await Promise.all(answers)
  expect(server.statistics('m')[0]).toMatchObject({ executionCount: 1 })
  return outputs as Record<string, Tensor>[]
}

const values = (tensor: Tensor | undefined) => Array.from((tensor?.data ?? []) as ArrayLike<number>)

const lengths = [
  [1, 2],
  [1, 4],
  [1, 1],
  [1, 3],
]
const joined = [2, 2, 4, 4, 4, 4, 1, 3, 3, 3]

contract((executor) => {
  describe.each(['FP32', 'INT32'] as const)('batch inputs of type %s', (type) => {
    test.each<[string, string, readonly (readonly number[])[], number[]]>([
      ['BATCH_ELEMENT_COUNT', '-1', lengths, [2, 4, 1, 3]],
      ['BATCH_ACCUMULATED_ELEMENT_COUNT', '-1', lengths, [2, 6, 7, 10]],
      ['BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO', '-1', lengths, [0, 2, 6, 7, 10]],
      ['BATCH_MAX_ELEMENT_COUNT_AS_SHAPE', '-1', lengths, [0, 0, 0, 0]],
      [
        'BATCH_ITEM_SHAPE_FLATTEN',
        '-1, -1',
        [
          [1, 4, 1],
          [1, 1, 2],
          [1, 1, 2],
          [1, 2, 2],
        ],
        [4, 1, 1, 2, 1, 2, 2, 2],
      ],
    ])('%s', async (kind, dims, shapes, about) => {
      const answers = await inOneBatch(
        executor,
        onnxModel(spreading(type)),
        spreadingConfig(kind, type, dims),
        'RAGGED',
        shapes,
      )
      for (const answer of answers) {
        expect(answer.ABOUT_OUT).toMatchObject({ datatype: type, shape: [1, about.length] })
        expect(values(answer.ABOUT_OUT)).toEqual(about)
        expect(values(answer.SIZE_OUT)).toEqual(shapes.map(([, ...item]) => item.reduce((a, b) => a * b, 1)))
        if (shapes === lengths) expect(values(answer.RAGGED_OUT)).toEqual(joined)
      }
    })
  })

  test('BATCH_ITEM_SHAPE has a row for each item', async () => {
    const model = onnxModel({
      inputs: [
        { name: 'RAGGED', datatype: 'FP32', shape: ['elements'] },
        { name: 'SHAPES', datatype: 'FP32', shape: ['items', 2] },
      ],
      outputs: [{ name: 'OUT', datatype: 'FP32', shape: ['items', 2] }],
      nodes: [
        { op: 'ReduceSum', inputs: ['RAGGED'], outputs: ['sum'], attributes: { keepdims: 1 } },
        { op: 'Sub', inputs: ['sum', 'sum'], outputs: ['zero'] },
        { op: 'Add', inputs: ['SHAPES', 'zero'], outputs: ['OUT'] },
      ],
    })
    const config = `max_batch_size: 8
    input { name: "RAGGED" data_type: TYPE_FP32 dims: [ -1, -1 ] allow_ragged_batch: true }
    output { name: "OUT" data_type: TYPE_FP32 dims: 2 }
    batch_input { kind: BATCH_ITEM_SHAPE target_name: "SHAPES" data_type: TYPE_FP32 source_input: "RAGGED" }`
    const shapes = [
      [2, 1, 2],
      [1, 1, 2],
      [1, 2, 2],
    ]
    const answers = await inOneBatch(executor, model, config, 'RAGGED', shapes)
    expect(answers.map(({ OUT }) => OUT?.shape)).toEqual([
      [2, 2],
      [1, 2],
      [1, 2],
    ])
    expect(answers.map(({ OUT }) => values(OUT))).toEqual([
      [1, 2, 1, 2],
      [1, 2],
      [2, 2],
    ])
  })

  describe('BATCH_SCATTER_WITH_INPUT_SHAPE', () => {
    const config = `max_batch_size: 4
    input { name: "IN" data_type: TYPE_FP32 dims: -1 allow_ragged_batch: true }
    output { name: "OUT" data_type: TYPE_FP32 dims: -1 }
    batch_output { target_name: "OUT" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "IN" }`

    test('every request gets the piece that it sent', async () => {
      const answers = await inOneBatch(executor, identity, config, 'IN', lengths)
      expect(answers.map(({ OUT }) => OUT?.shape)).toEqual(lengths)
      expect(answers.map(({ OUT }) => values(OUT))).toEqual([[2, 2], [4, 4, 4, 4], [1], [3, 3, 3]])
    })

    test('a single request does too, with its batch dimension', async () => {
      const [answer] = await inOneBatch(executor, identity, config, 'IN', [[3, 2]])
      expect(answer?.OUT?.shape).toEqual([3, 2])
      expect(values(answer?.OUT)).toEqual([2, 2, 2, 2, 2, 2])
    })
  })

  test('one entry may feed several inputs of the model', async () => {
    const model = onnxModel({
      inputs: ['RAGGED', 'FIRST', 'SECOND'].map((name) => ({ name, datatype: 'FP32', shape: [`n_${name}`] })),
      outputs: [{ name: 'OUT', datatype: 'FP32', shape: ['items', 1] }],
      nodes: [
        { op: 'Sum', inputs: ['FIRST', 'SECOND'], outputs: ['sum'] },
        { op: 'Reshape', inputs: ['sum', 'column'], outputs: ['counts'] },
        { op: 'ReduceMax', inputs: ['RAGGED'], outputs: ['largest'] },
        { op: 'Mul', inputs: ['counts', 'largest'], outputs: ['OUT'] },
      ],
      initializers: { column: tensor('INT64', [2], BigInt64Array.of(-1n, 1n)) },
    })
    const config = `max_batch_size: 8
    input { name: "RAGGED" data_type: TYPE_FP32 dims: -1 allow_ragged_batch: true }
    output { name: "OUT" data_type: TYPE_FP32 dims: 1 }
    batch_input { kind: BATCH_ELEMENT_COUNT target_name: [ "FIRST", "SECOND" ] data_type: TYPE_FP32 source_input: "RAGGED" }`
    const answers = await inOneBatch(executor, model, config, 'RAGGED', lengths)
    expect(answers.map(({ OUT }) => values(OUT))).toEqual([[16], [32], [8], [24]])
  })
})
