import { expect, test } from 'vitest'
import { fromParameterMessages, parametersJson } from './parameters.ts'

test('whole numbers stay whole, fractions fractions, and nothing is rounded', () => {
  const parameters = { text: 'ä"', yes: true, whole: 7, large: 2n ** 63n, fraction: 1e16, none: Number.NaN, less: -0.5 }
  expect(parametersJson(parameters)).toBe(
    '{"text":"ä\\"","yes":true,"whole":7,"large":9223372036854775808,"fraction":1e+16,"none":{"f":"NaN"},"less":-0.5}',
  )
  expect(parametersJson({})).toBe('{}')
  expect(fromParameterMessages({ a: { u: '18446744073709551615' }, b: { f: '-Infinity' }, c: 'c', d: false })).toEqual({
    a: 2n ** 64n - 1n,
    b: Number.NEGATIVE_INFINITY,
    c: 'c',
    d: false,
  })
})
