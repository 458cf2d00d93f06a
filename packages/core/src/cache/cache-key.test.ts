import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Tensor, tensor } from '../request/tensor.ts'
import { cacheKeys } from './cache-key.ts'

const keyOf = cacheKeys(['m', '1', ''], ['b', 'a'])
const floats = (values: number[], shape = [values.length]) => tensor('FP32', shape, new Float32Array(values))
const inputs = (entries: Record<string, Tensor>) => new Map(Object.entries(entries))

test('a key is made for any store: short, and safe in a URL or a file name', () => {
  expect(keyOf(inputs({ a: floats([1]) }))).toMatch(/^[\w-]{43}$/)
})

describe('like requests have one key', () => {
  test('whatever the order of the inputs', () => {
    const a = floats([1])
    const b = floats([2])
    expect(keyOf(inputs({ a, b }))).toBe(keyOf(inputs({ b, a })))
  })

  test('whether the data came as values or off the wire', () => {
    const sent = Tensor.fromBytes('BYTES', [2], Buffer.from('\x01\0\0\0x\x02\0\0\0yz'))
    expect(keyOf(inputs({ a: tensor('BYTES', [2], ['x', 'yz']) }))).toBe(keyOf(inputs({ a: sent })))
  })
})

describe('a key tells apart', () => {
  const a = floats([1, 2])
  const usual = keyOf(inputs({ a }))
  test.each([
    ['values', { a: floats([1, 3]) }],
    ['shapes', { a: floats([1, 2], [2, 1]) }],
    ['types', { a: Tensor.fromBytes('INT32', [2], a.bytes) }],
    ['names', { b: a }],
    ['an optional input', { a, b: floats([]) }],
  ])('%s', (_, other) => {
    expect(keyOf(inputs(other))).not.toBe(usual)
  })

  test.each([
    ['models', ['n', '1', '']],
    ['versions', ['m', '2', '']],
    ['loads', ['m', '1', 'x']],
    ['where one name ends and the next begins', ['m1', '', '']],
  ])('%s', (_, identity) => {
    expect(cacheKeys(identity, ['a'])(inputs({ a }))).not.toBe(cacheKeys(['m', '1', ''], ['a'])(inputs({ a })))
  })
})

test('large requests differ in their last byte too, and are hashed like small ones', () => {
  fc.assert(
    fc.property(fc.integer({ min: 3900, max: 4300 }), (size) => {
      const bytes = new Uint8Array(size)
      const one = keyOf(inputs({ a: Tensor.fromBytes('UINT8', [size], bytes) }))
      bytes[size - 1] = 1
      expect(keyOf(inputs({ a: Tensor.fromBytes('UINT8', [size], bytes) }))).not.toBe(one)
    }),
  )
})
