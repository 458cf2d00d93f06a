import { Tensor, tensor } from '@triton-ts/core'
import { describe, expect, test } from 'vitest'
import { tensorDifference } from './tensor-difference.ts'
import { assertTensorClose, assertTensorEqual, type TensorMatchers, tensorMatchers } from './tensor-matchers.ts'

declare module 'vitest' {
  interface Matchers<T> extends TensorMatchers<T> {}
}

expect.extend(tensorMatchers)

const floats = (...values: number[]) => tensor('FP32', [1, values.length], new Float32Array(values))

describe('tensors are equal', () => {
  test('when type, shape and elements are', () => {
    expect(floats(1, Number.NaN)).toEqualTensor(floats(1, Number.NaN))
    expect(floats(1)).not.toEqualTensor(floats(2))
    expect(() => expect(floats(1)).toEqualTensor([1] as never)).toThrow(
      'a tensor is compared with a tensor, not with object',
    )
    expect(tensor('BYTES', [2], ['a', 'é'])).toEqualTensor(
      Tensor.fromBytes('BYTES', [2], tensor('BYTES', [2], [Buffer.from('a'), 'é']).bytes),
    )
    expect(tensor('INT64', [1], new BigInt64Array([2n ** 60n]))).toEqualTensor(
      tensor('INT64', [1], new BigInt64Array([2n ** 60n])),
    )
    expect(tensor('FP32', [0, 3], new Float32Array(0))).toEqualTensor(tensor('FP32', [0, 3], new Float32Array(0)))
  })

  test('or the difference is told', () => {
    expect(tensorDifference(undefined, floats(1))).toBe('expected a tensor, got undefined')
    expect(tensorDifference(null, floats(1))).toBe('expected a tensor, got null')
    expect(tensorDifference(floats(1, 2), floats(1))).toBe('expected FP32 [1, 1], got FP32 [1, 2]')
    const grid = (...values: number[]) => tensor('INT32', [2, 2], new Int32Array(values))
    expect(tensorDifference(grid(1, 2, 3, 5), grid(1, 2, 4, 4))).toBe(
      '2 of 4 elements of INT32 [2, 2] differ, the first at [1, 0]: expected 4, got 3',
    )
    const texts = (...values: string[]) => tensor('BYTES', [values.length], values)
    expect(tensorDifference(texts('a'), texts('b'))).toContain('expected "b", got "a"')
    const raw = (...bytes: number[]) => tensor('BYTES', [1], [new Uint8Array(bytes)])
    expect(tensorDifference(raw(0xff, 1), raw(0xfe))).toContain('expected bytes fe, got bytes ff01')
    expect(() => expect(floats(1)).toEqualTensor(floats(2))).toThrow('expected 2, got 1')
    expect(() => expect(floats(1)).not.toEqualTensor(floats(1))).toThrow('something else than this FP32 [1, 1]')
  })
})

describe('tensors are close', () => {
  test('within the tolerance, which grows with the number', () => {
    expect(floats(1, 1000)).toBeCloseToTensor(floats(1.000001, 1000.005))
    expect(floats(1)).not.toBeCloseToTensor(floats(1.001))
    expect(floats(1)).toBeCloseToTensor(floats(1.001), { relative: 0.01 })
    expect(floats(0)).not.toBeCloseToTensor(floats(0.5), { absolute: 0.4 })
    expect(floats(0)).toBeCloseToTensor(floats(0.5), { absolute: 0.5 })
  })

  test('infinity is close to itself alone', () => {
    const infinite = floats(Number.POSITIVE_INFINITY)
    expect(infinite).toBeCloseToTensor(infinite)
    expect(floats(1e30)).not.toBeCloseToTensor(infinite)
    expect(infinite).not.toBeCloseToTensor(floats(1e30))
  })

  test('half precision is compared as numbers', () => {
    const half = (bits: number) => tensor('FP16', [1], new Uint16Array([bits]))
    expect(half(0x3c00)).toBeCloseToTensor(half(0x3c01), { relative: 1e-2 })
    expect(half(0x0000)).toEqualTensor(half(0x8000))
    const brain = (bits: number) => tensor('BF16', [1], new Uint16Array([bits]))
    expect(brain(0x3f80)).toBeCloseToTensor(brain(0x3f81), { relative: 1e-2 })
  })

  test('text must be equal', () => {
    expect(tensor('BYTES', [1], ['1'])).not.toBeCloseToTensor(tensor('BYTES', [1], ['1.0']))
  })
})

test('functions for other test runners', () => {
  assertTensorEqual(floats(1), floats(1))
  assertTensorClose(floats(1), floats(1.000001))
  expect(() => assertTensorEqual(floats(1), floats(2))).toThrow(expect.objectContaining({ code: 'ERR_ASSERTION' }))
  expect(() => assertTensorClose(floats(1), floats(2))).toThrow('expected 2, got 1')
})
