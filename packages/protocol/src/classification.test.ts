import { Tensor } from '@triton-ts/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classify } from './classification.ts'

const none = (): string => ''

test('values with six decimals, best first, with labels where there are some', () => {
  const scores = Tensor.of('FP32', [1, 3], Float32Array.of(0.25, 3, -1))
  const result = classify('OUT', scores, 2, true, (index) => ['cat', 'dog'][index] ?? '')
  expect(result.shape).toEqual([1, 2])
  expect(result.data).toEqual(['3.000000:1:dog', '0.250000:0:cat'])
})

test('without batching the whole tensor is one item', () => {
  const result = classify('OUT', Tensor.of('INT32', [2, 2], Int32Array.of(3, -7, 12, 0)), 9, false, none)
  expect(result.shape).toEqual([4])
  expect(result.data).toEqual(['12:2', '3:0', '0:3', '-7:1'])
})

test('each item of a batch is ranked for itself', () => {
  const result = classify('OUT', Tensor.of('UINT8', [2, 2], Uint8Array.of(1, 200, 3, 2)), 1, true, none)
  expect(result.shape).toEqual([2, 1])
  expect(result.data).toEqual(['200:1', '3:0'])
})

test('the best classes are those of a sorted list, for few and for many', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 1, max: 300 }),
      (values, classes) => {
        const sorted = values.map((value, i) => ({ value, i })).sort((a, b) => b.value - a.value || a.i - b.i)
        const expected = sorted.slice(0, classes).map(({ value, i }) => `${value}:${i}`)
        const scores = Tensor.of('INT64', [values.length], BigInt64Array.from(values, BigInt))
        expect(classify('OUT', scores, classes, false, none).data).toEqual(expected)
      },
    ),
    { numRuns: 300 },
  )
})

test('special values are printed as C prints them', () => {
  const scores = Tensor.of('FP64', [4], Float64Array.of(Number.POSITIVE_INFINITY, 1e22, -0, Number.NEGATIVE_INFINITY))
  expect(classify('OUT', scores, 4, false, none).data).toEqual([
    'inf:0',
    '10000000000000000000000.000000:1',
    '-0.000000:2',
    '-inf:3',
  ])
})

test('NaN is never the best, wherever it is', () => {
  const scores = (size: number): Tensor => {
    const data = new Float32Array(size).fill(-1)
    data.set([Number.NaN, 2, Number.NaN, 5])
    return Tensor.of('FP32', [size], data)
  }
  expect(classify('OUT', scores(5), 5, false, none).data).toEqual([
    '5.000000:3',
    '2.000000:1',
    '-1.000000:4',
    'nan:0',
    'nan:2',
  ])
  const many = classify('OUT', scores(100), 100, false, none).data as readonly string[]
  expect(many.slice(0, 3)).toEqual(['5.000000:3', '2.000000:1', '-1.000000:4'])
  expect(many.slice(-2)).toEqual(['nan:0', 'nan:2'])
})

test('half way between two decimals the even one is printed, as C does', () => {
  const scores = Tensor.of('FP32', [4], Float32Array.of(3 / 128, 1 / 128, -1 / 128, -3 / 128))
  expect(classify('OUT', scores, 4, false, none).data).toEqual([
    '0.023438:0',
    '0.007812:1',
    '-0.007812:2',
    '-0.023438:3',
  ])
})

test('what cannot be ranked', () => {
  const message = (tensor: Tensor, batched = false): string => {
    try {
      classify('OUT', tensor, 1, batched, none)
    } catch (error) {
      return (error as Error).message
    }
    return 'no error'
  }
  expect(message(Tensor.of('BOOL', [1], Uint8Array.of(1)))).toBe(
    "class result not available for output due to unsupported type 'BOOL'",
  )
  expect(message(Tensor.of('FP32', [1, 0], new Float32Array(0)), true)).toBe("output 'OUT' has no elements to classify")
  expect(message(Tensor.of('FP32', [0, 3], new Float32Array(0)), true)).toBe("output 'OUT' has no elements to classify")
  expect(message(Tensor.of('UINT8', [1_000_001], new Uint8Array(1_000_001)))).toBe(
    'classification output tensor too large',
  )
})
