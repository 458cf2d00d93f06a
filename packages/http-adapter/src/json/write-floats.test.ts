import fc from 'fast-check'
import { expect, test } from 'vitest'
import { floatRoom, writeFloats } from './write-floats.ts'

function write(values: readonly number[]): string {
  const target = Buffer.alloc(values.length * floatRoom + 1, 0x78)
  const text = target.toString('latin1', 0, writeFloats(Float32Array.from(values), target, 0))
  expect(text.length).toBeLessThanOrEqual(values.length * floatRoom)
  return text
}

test.each([
  [0.1, '0.10000000149011612'],
  [1, '1.0'],
  [-2.5, '-2.5'],
  [16, '16.0'],
  [16777216, '16777216.0'],
  [123456792, '123456792.0'],
  [1e15, '999999986991104.0'],
  [0.001, '0.0010000000474974513'],
  [1e20, '100000002004087730000.0'],
  [0, '0.0'],
  [-0, '-0.0'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, 'Infinity'],
  [Number.NEGATIVE_INFINITY, '-Infinity'],
  [1e-45, '1.401298464324817e-45'],
  [3.4028234663852886e38, '3.4028234663852886e+38'],
])('%s', (value, expected) => {
  expect(write([value])).toBe(expected)
})

test('every FP32 value is read back as the same double', () => {
  fc.assert(
    fc.property(fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), (values) => {
      expect(JSON.parse(`[${write(values)}]`)).toStrictEqual(values)
    }),
    { numRuns: 3000 },
  )
})

test('values of usual sizes and around powers of ten too', () => {
  const values: number[] = []
  for (let exponent = -8; exponent < 18; exponent++) {
    for (let step = -50; step <= 50; step++) values.push(Math.fround(10 ** exponent * (1 + step * 2 ** -24)))
    for (let step = 1; step < 400; step++) values.push(Math.fround((10 ** exponent * step) / 39.7))
  }
  expect(JSON.parse(`[${write(values)}]`)).toStrictEqual(values)
})
