import { tensor } from '@triton-ts/core'
import { expect, test } from 'vitest'
import { meanOfTokens, toLengthOne } from './models/pooling/1/mean-pooling.ts'

test('the mean of each text, without the filling', () => {
  const tokens = tensor('FP32', [2, 3, 2], Float32Array.of(1, 2, 3, 4, 90, 90, 6, 8, 90, 90, 90, 90))
  const mask = tensor('INT64', [2, 3], BigInt64Array.of(1n, 1n, 0n, 1n, 0n, 0n))
  expect(meanOfTokens(tokens, mask)).toMatchObject({ shape: [2, 2], data: Float32Array.of(2, 3, 6, 8) })
})

test('length one', () => {
  const vectors = tensor('FP32', [2, 2], Float32Array.of(3, 4, 0, -2))
  expect(toLengthOne(vectors)).toMatchObject({ shape: [2, 2], data: Float32Array.of(0.6, 0.8, 0, -1) })
  expect([...vectors.data]).toEqual([3, 4, 0, -2])
})
