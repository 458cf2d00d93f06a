import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shortFloat } from './short-float.ts'

test('floats of 32 bits lose the digits that mean nothing', () => {
  expect(shortFloat(Math.fround(0.1))).toBe(0.1)
  expect(shortFloat(2.5)).toBe(2.5)
  expect(shortFloat(0.1)).toBe(0.1)
  expect(shortFloat('0.1')).toBe('0.1')
})

test('what is short is the same float', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true }), (value) => {
      expect(Math.fround(shortFloat(value) as number) === value).toBe(true)
    }),
  )
})
