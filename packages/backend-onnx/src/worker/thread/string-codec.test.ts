import { packBytes, unpackBytes } from '@triton-ts/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeStrings, encodeStrings } from './string-codec.ts'

const decode = (elements: (string | Uint8Array)[]) => decodeStrings(Buffer.from(packBytes(elements)))

const untilNul = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, bytes.includes(0) ? bytes.indexOf(0) : undefined))

test('elements end at their first NUL', () => {
  expect(decode(['a\0b', '', '\0', 'é日😀']).strings).toEqual(['a', '', '', 'é日😀'])
})

test('text is not escaped', () => {
  expect(decode(['plain', '\ufffd']).escaped).toBe(false)
  const privateUse = '\u{10fe80}'
  expect(
    Buffer.from(encodeStrings([privateUse], false))
      .subarray(4)
      .toString(),
  ).toBe(privateUse)
})

test('any bytes survive the way through strings', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 5 }), (elements) => {
      const { strings, escaped } = decode(elements)
      const back = unpackBytes(encodeStrings(strings, escaped)).map((bytes) => Buffer.from(bytes))
      expect(back).toEqual(elements.map(untilNul))
      expect(strings.map((text) => Buffer.from(text).toString())).toEqual(strings)
    }),
  )
})

test('any text without NUL survives', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (elements) => {
      const clean = elements.map((text) => text.replaceAll('\0', ''))
      const { strings, escaped } = decode(clean)
      expect(strings).toEqual(clean)
      expect(encodeStrings(strings, escaped)).toEqual(Buffer.from(packBytes(clean)))
    }),
  )
})
