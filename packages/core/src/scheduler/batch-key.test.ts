import { describe, expect, test } from 'vitest'
import { modelConfig } from '../request/fixtures/request-rig.ts'
import { type Tensor, tensor } from '../request/tensor.ts'
import { batchKeyOf } from './batch-key.ts'

const floats = (...shape: number[]): Tensor => tensor('FP32', shape, new Float32Array(shape.reduce((a, b) => a * b, 1)))
const ints = (...values: number[]): Tensor => tensor('INT32', [1, values.length], Int32Array.from(values))
const input = (name: string, more: string) => `input { name: "${name}" data_type: TYPE_FP32 ${more} }`

/** Whether requests with these inputs may be in one batch. */
function agree(config: string, a: Record<string, Tensor>, b: Record<string, Tensor>): boolean {
  const key = batchKeyOf(modelConfig(`max_batch_size: 8 ${config}`))
  return key(new Map(Object.entries(a))) === key(new Map(Object.entries(b)))
}

describe('shapes', () => {
  const variable = input('A', 'dims: [-1, -1]')

  test('have to be equal where they vary, but for the batch', () => {
    expect(agree(variable, { A: floats(1, 2, 3) }, { A: floats(4, 2, 3) })).toBe(true)
    expect(agree(variable, { A: floats(1, 2, 3) }, { A: floats(1, 3, 2) })).toBe(false)
    expect(agree(variable, { A: floats(1, 1, 12) }, { A: floats(1, 11, 2) })).toBe(false)
  })

  test('may differ in a ragged input', () => {
    const ragged = input('A', 'dims: -1 allow_ragged_batch: true')
    expect(agree(ragged, { A: floats(1, 2) }, { A: floats(1, 3) })).toBe(true)
  })

  test('of several inputs are not mistaken for each other', () => {
    const both = input('A', 'dims: -1') + input('B', 'dims: -1')
    expect(agree(both, { A: floats(1, 1), B: floats(1, 2) }, { A: floats(1, 2), B: floats(1, 1) })).toBe(false)
  })
})

test('where any input is optional, both need the same inputs', () => {
  const config = input('A', 'dims: 1 optional: true') + input('B', 'dims: 1')
  const [A, B] = [floats(1, 1), floats(1, 1)]
  expect(agree(config, { A, B }, { B })).toBe(false)
  expect(agree(config, { A, B }, { A, B })).toBe(true)
  expect(agree(config + input('C', 'dims: 1 optional: true'), { A, B }, { B, C: A })).toBe(false)
})

test('shape tensors have to be equal in content as well', () => {
  const config = input('A', 'dims: 2 is_shape_tensor: true')
  expect(agree(config, { A: ints(1, 2) }, { A: ints(1, 2) })).toBe(true)
  expect(agree(config, { A: ints(1, 2) }, { A: ints(2, 1) })).toBe(false)
})

describe('states', () => {
  const config = `sequence_batching {
    state { input_name: "S" output_name: "S_OUT" data_type: TYPE_FP32 dims: -1 }
    state { input_name: "T" output_name: "T_OUT" data_type: TYPE_FP32 dims: 1 } }`

  test('need equal shapes, also where the configuration says that they do not vary', () => {
    const one = { S: floats(1, 2), T: floats(1, 1) }
    expect(agree(config, one, { ...one })).toBe(true)
    expect(agree(config, one, { ...one, S: floats(1, 3) })).toBe(false)
    expect(agree(config, one, { ...one, T: floats(1, 2) })).toBe(false)
    expect(agree(config, { S: floats(1, 2), T: floats(1, 1) }, { S: floats(1, 1), T: floats(1, 2) })).toBe(false)
  })

  test('need equal types', () => {
    expect(agree(config, { S: floats(1, 2), T: floats(1, 1) }, { S: ints(0, 0), T: floats(1, 1) })).toBe(false)
  })
})
