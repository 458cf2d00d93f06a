import { expect, test } from 'vitest'
import { memorySizeText, parseMemorySize } from './memory-size.ts'

test.each([
  [1, 1],
  [8e9, 8e9],
  ['512', 512],
  ['100 b', 100],
  ['8GB', 8e9],
  [' 7.5 gb ', 7.5e9],
  ['512MiB', 512 * 2 ** 20],
  ['1TiB', 2 ** 40],
  ['1.5 KiB', 1536],
])('%j is %d bytes', (size, bytes) => {
  expect(parseMemorySize(size, 'memoryBudget')).toBe(bytes)
})

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '', 'GB', '8 GBs', '8XB', '1e9', '0.5', '0GB', '99999999TB'])(
  '%j is none',
  (size) => {
    expect(() => parseMemorySize(size, 'memoryBudget')).toThrow(
      `memoryBudget must be a number of bytes above 0, or a text such as '8GB' or '512MiB', got '${size}'`,
    )
  },
)

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 KB'],
  [512_345_678, '512 MB'],
  [8e9, '8 GB'],
  [1.234e13, '12.3 TB'],
  [5e16, '50000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(memorySizeText(bytes)).toBe(text)
})
