import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BatchInput } from '../config/model-config.ts'
import { elementCount } from '../request/shape.ts'
import { Tensor } from '../request/tensor.ts'
import { batchInputs } from './batch-inputs.ts'
import { configOf, request, valuesOf } from './fixtures/batch.ts'

const zeros = (shape: readonly number[]) => Tensor.fromBytes('FP32', shape, new Uint8Array(elementCount(shape) * 4))

const config = (kind: string, type = 'INT32', targets = '"N"') =>
  configOf(`max_batch_size: 64 input { name: "A" data_type: TYPE_FP32 dims: -1 allow_ragged_batch: true }
    batch_input { kind: ${kind} target_name: [ ${targets} ] data_type: TYPE_${type} source_input: "A" }`)

const describeBatch = (kind: string, shapes: readonly (readonly number[])[], type?: string) =>
  batchInputs(
    config(kind, type),
    shapes.map((shape) => request({ A: zeros(shape) })),
  ).get('N') as Tensor

/** The requests of Triton's own example and of L0_batch_input. */
const example = [
  [1, 3],
  [1, 4],
  [1, 5],
]
const several = [
  [2, 1, 2],
  [1, 1, 2],
  [1, 2, 2],
]

describe.each(['INT32', 'FP32'] as const)('%s', (type) => {
  test.each<[BatchInput['kind'], readonly (readonly number[])[], number[], number[]]>([
    ['BATCH_ELEMENT_COUNT', example, [3], [3, 4, 5]],
    ['BATCH_ELEMENT_COUNT', several, [3], [4, 2, 4]],
    ['BATCH_ACCUMULATED_ELEMENT_COUNT', example, [3], [3, 7, 12]],
    ['BATCH_ACCUMULATED_ELEMENT_COUNT', several, [3], [4, 6, 10]],
    ['BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO', example, [4], [0, 3, 7, 12]],
    ['BATCH_MAX_ELEMENT_COUNT_AS_SHAPE', example, [5], [0, 0, 0, 0, 0]],
    ['BATCH_MAX_ELEMENT_COUNT_AS_SHAPE', several, [4], [0, 0, 0, 0]],
    ['BATCH_ITEM_SHAPE', example, [3, 1], [3, 4, 5]],
    ['BATCH_ITEM_SHAPE', several, [4, 2], [1, 2, 1, 2, 1, 2, 2, 2]],
    ['BATCH_ITEM_SHAPE_FLATTEN', example, [3], [3, 4, 5]],
    ['BATCH_ITEM_SHAPE_FLATTEN', several, [8], [1, 2, 1, 2, 1, 2, 2, 2]],
  ])('%s of %j', (kind, shapes, shape, values) => {
    const tensor = describeBatch(kind, shapes, type)
    expect(tensor.datatype).toBe(type)
    expect(tensor.shape).toEqual(shape)
    expect(valuesOf(tensor)).toEqual(values)
  })
})

test('a batch of one request is described too', () => {
  expect(valuesOf(describeBatch('BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO', [[2, 3]]))).toEqual([0, 6])
  expect(describeBatch('BATCH_ITEM_SHAPE', [[2, 3]]).shape).toEqual([2, 1])
})

test('empty requests count as nothing', () => {
  const shapes = [
    [1, 0],
    [0, 2],
    [1, 2],
  ]
  expect(valuesOf(describeBatch('BATCH_ACCUMULATED_ELEMENT_COUNT', shapes))).toEqual([0, 0, 2])
  expect(valuesOf(describeBatch('BATCH_ITEM_SHAPE', shapes))).toEqual([0, 2])
  expect(describeBatch('BATCH_MAX_ELEMENT_COUNT_AS_SHAPE', [[1, 0]]).shape).toEqual([0])
})

test('an entry may have several targets', () => {
  const tensors = batchInputs(config('BATCH_ELEMENT_COUNT', 'INT32', '"N", "SIZE"'), [request({ A: zeros([1, 3]) })])
  expect([...tensors.keys()]).toEqual(['N', 'SIZE'])
  expect(tensors.get('SIZE')).toBe(tensors.get('N'))
})

test('a request without the source is named', () => {
  expect(() => batchInputs(config('BATCH_ELEMENT_COUNT'), [request({})])).toThrow(
    '[request id: <id_unknown>] unknown request input name A',
  )
})

test('the kinds agree with each other', () => {
  const shape = fc.tuple(fc.nat(3), fc.nat(4), fc.nat(4))
  fc.assert(
    fc.property(fc.array(shape, { minLength: 1, maxLength: 8 }), (shapes) => {
      const values = (kind: BatchInput['kind']) => valuesOf(describeBatch(kind, shapes)) as number[]
      const counts = values('BATCH_ELEMENT_COUNT')
      const ends = values('BATCH_ACCUMULATED_ELEMENT_COUNT')
      expect(values('BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO')).toEqual([0, ...ends])
      expect(ends.map((end, i) => end - (ends[i - 1] ?? 0))).toEqual(counts)
      expect(values('BATCH_MAX_ELEMENT_COUNT_AS_SHAPE')).toHaveLength(Math.max(...counts))
      const rows = describeBatch('BATCH_ITEM_SHAPE', shapes)
      expect(rows.shape).toEqual([shapes.reduce((sum, [batch]) => sum + batch, 0), 2])
      expect(values('BATCH_ITEM_SHAPE_FLATTEN')).toEqual(valuesOf(rows))
    }),
  )
})
