import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type LenientJson, parseLenientJson } from './lenient-json.ts'

/** The same value as `JSON.parse` gives it. */
function plain(value: LenientJson): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plain(entry)]))
}

describe('parseLenientJson', () => {
  test('reads every JSON text as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), (text, indent) => {
        const value = JSON.parse(text)
        expect(plain(parseLenientJson(JSON.stringify(value, null, indent))!)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('keeps integers of 64 bits and tells them from floats', () => {
    expect(parseLenientJson('[18446744073709551615, -3, 1.0, 2e3]')).toEqual([18446744073709551615n, -3n, 1, 2000])
  })

  test('accepts the literals that JSON lacks', () => {
    expect(parseLenientJson('{"a": [NaN, Infinity, -Infinity]}')).toEqual({
      a: [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    })
  })

  test.each(['', 'plain text', '{"a":1', '[1,]', '{"a" 1}', '[1] 2', '"\n"', '01', '{a:1}', '"open'])(
    'refuses %j',
    (text) => {
      expect(parseLenientJson(text)).toBeUndefined()
    },
  )
})
