import { expect, test } from 'vitest'
import { parseVersion } from './model-version.ts'

test.each([
  [undefined, -1],
  ['', -1],
  ['0', 0],
  ['7', 7],
  [' +12rest', 12],
  ['-0', 0],
  ['900719925474099', 900719925474099],
])('%j is version %d', (text, version) => {
  expect(parseVersion(text)).toBe(version)
})

test.each(['abc', ' ', '-', '99999999999999999999', '-99999999999999999999'])('%j is no version', (text) => {
  expect(() => parseVersion(text)).toThrow(
    `failed to get model version from specified version string '${text}' (details: stol), version should be an integral value > 0`,
  )
})

test('a version below 0 is refused', () => {
  expect(() => parseVersion('-3')).toThrow(
    "invalid model version specified '-3' , version should be an integral value > 0",
  )
})
