import { packBytes } from '@triton-ts/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeByteStrings } from './write-byte-strings.ts'

test('elements are read back by JSON.parse', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (strings) => {
      const { count, bytes } = writeByteStrings(packBytes(strings))
      expect(count).toBe(strings.length)
      expect(JSON.parse(`[${bytes}]`)).toEqual(strings.map((text) => Buffer.from(text).toString()))
    }),
    { numRuns: 500 },
  )
})

test('control characters, quotes and bytes that are no UTF-8', () => {
  const { bytes } = writeByteStrings(packBytes(['\u0001\u001f\u007f\b\f\n\r\t"\\/', Buffer.from('caf\xe9', 'latin1')]))
  expect(bytes.toString('latin1')).toBe('"\\u0001\\u001F\u007f\\b\\f\\n\\r\\t\\"\\\\/","caf\xe9"')
})

test('bytes that are cut short', () => {
  const packed = packBytes(['abc', 'def'])
  for (const end of [1, 4, 6, 8, 12]) expect(writeByteStrings(packed.subarray(0, end)).count).toBeUndefined()
  expect(writeByteStrings(packed.subarray(0, 7)).count).toBe(1)
})
