import { expect, test } from 'vitest'
import { tensor } from '../request/tensor.ts'
import { adaptBatch, dimsMatch } from './batch-adaptation.ts'

const shaped = (...shape: number[]) =>
  tensor('FP32', shape, new Float32Array(shape.reduce((product, size) => product * size, 1)))

test.each([
  ['from batching to batching', [3, 2], 3, true, [2], [3, 2]],
  ['from batching to batching, other dims', [1, 2], 1, true, [5], [1, 2]],
  ['plain to plain', [2], 0, false, [2], [2]],
  ['plain to batching', [2], 0, true, [2], [1, 2]],
  ['plain to batching, variable', [2, 7], 0, true, [2, -1], [1, 2, 7]],
  ['plain that has the dimension already', [4, 2], 0, true, [2], [4, 2]],
  ['batch of 1 to plain', [1, 2], 1, false, [2], [2]],
  ['batch of 1 to plain that wants it', [1, 2], 1, false, [-1, 2], [1, 2]],
  ['batch of 4 to plain', [4, 2], 4, false, [2], [4, 2]],
])('%s', (_, shape, batchSize, batching, dims, expected) => {
  const before = shaped(...shape)
  const after = adaptBatch(before, batchSize, batching, dims)
  expect(after.shape).toEqual(expected)
  expect(after.data).toBe(before.data)
})

test('dims match where neither has -1', () => {
  expect(dimsMatch([1, -1], [1, 5])).toBe(true)
  expect(dimsMatch([1, 5], [-1, 5])).toBe(true)
  expect(dimsMatch([1, 5], [1, 6])).toBe(false)
  expect(dimsMatch([1], [1, 1])).toBe(false)
})
