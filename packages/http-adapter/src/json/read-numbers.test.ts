import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonArray } from './json-array.ts'
import { JsonParser } from './json-parser.ts'

const parser = new JsonParser()
const read = (text: string): number[] =>
  parser.parse(Buffer.from(text), (document) => [...(document as JsonArray).numbers])

const finite = { noNaN: true, noDefaultInfinity: true } as const

/** Numbers as people and libraries write them, from whole to far more digits than a double holds. */
const decimals = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.nat().map(String), fc.bigInt(0n, 10n ** 40n).map(String)),
    fc.option(fc.stringMatching(/^[0-9]{1,40}$/)),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.integer({ min: 0, max: 300 }))),
  )
  .map(([sign, whole, fraction, exponent]) => {
    const power = exponent === null ? '' : exponent[0] + exponent[1]
    return `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${power}`
  })

test('every double is read back from its shortest form', () => {
  fc.assert(
    fc.property(fc.array(fc.double(finite), { minLength: 1 }), (values) => {
      expect(read(JSON.stringify(values))).toStrictEqual(JSON.parse(JSON.stringify(values)))
    }),
    { numRuns: 2000 },
  )
})

test('FP32 values printed as doubles and with 17 digits', () => {
  fc.assert(
    fc.property(fc.array(fc.float(finite), { minLength: 1 }), (values) => {
      const written = values.map((value) => (Object.is(value, -0) ? '-0.0' : value.toPrecision(17)))
      expect(read(`[${written}]`)).toStrictEqual(written.map(Number))
      expect(Float32Array.from(read(`[${written}]`))).toStrictEqual(Float32Array.from(values))
    }),
    { numRuns: 2000 },
  )
})

test('any decimal is rounded as Number rounds it', () => {
  fc.assert(
    fc.property(fc.array(decimals, { minLength: 1 }), (texts) => {
      const usable = texts.filter((text) => Number.isFinite(Number(text)) && !/e\+?[12][0-9]{2}/i.test(text))
      if (usable.length === 0) return
      const expected = usable.map((text) => (text === '-0' ? 0 : Number(text)))
      expect(read(`[${usable.join(' , ')}]`)).toStrictEqual(expected)
    }),
    { numRuns: 3000 },
  )
})

test('numbers half way between two doubles are rounded to even', () => {
  const halves = [
    '9007199254740993.0',
    '9007199254740995.0',
    '0.500000000000000055511151231257827',
    '1.00000000000000011102230246251565',
  ]
  expect(read(`[${halves}]`)).toStrictEqual(halves.map(Number))
})

test('a long array outgrows the scratch memory', () => {
  const values = Array.from({ length: 50_000 }, (_, i) => i / 7)
  expect(read(JSON.stringify(values))).toStrictEqual(values)
})
