import { expect, test } from 'vitest'
import { formatNumber, formatSeconds, formatShare } from './format.ts'

test.each([
  [undefined, '–'],
  [0, '0'],
  [12, '12'],
  [0.123, '0.12'],
  [45.67, '45.7'],
  [456.7, '457'],
  [12_345, '12.3k'],
  [2_500_000, '2.50M'],
])('the number %s is %s', (value, text) => {
  expect(formatNumber(value)).toBe(text)
})

test.each([
  [undefined, '–'],
  [0, '0'],
  [0.0000123, '12.3 µs'],
  [0.00456, '4.56 ms'],
  [0.789, '789 ms'],
  [7.89, '7.89 s'],
])('%s seconds are %s', (value, text) => {
  expect(formatSeconds(value)).toBe(text)
})

test('shares are percent', () => {
  expect(formatShare(0.126)).toBe('13 %')
})
