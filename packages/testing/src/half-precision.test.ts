import { expect, test } from 'vitest'
import { fromBrainFloat, fromHalf } from './half-precision.ts'

test.each([
  [0x3c00, 1],
  [0xc000, -2],
  [0x3555, 0.333251953125],
  [0x7bff, 65504],
  [0x0001, 2 ** -24],
  [0x0400, 2 ** -14],
  [0x8000, -0],
  [0x7c00, Number.POSITIVE_INFINITY],
  [0xfc00, Number.NEGATIVE_INFINITY],
  [0x7e00, Number.NaN],
])('half %i', (bits, number) => {
  expect(fromHalf(bits)).toBe(number)
})

test.each([
  [0x3f80, 1],
  [0xc000, -2],
  [0x4049, 3.140625],
  [0xff80, Number.NEGATIVE_INFINITY],
  [0x7fc0, Number.NaN],
])('brain float %i', (bits, number) => {
  expect(fromBrainFloat(bits)).toBe(number)
})
