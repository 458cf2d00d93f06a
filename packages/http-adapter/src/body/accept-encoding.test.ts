import { expect, test } from 'vitest'
import { negotiateEncoding } from './accept-encoding.ts'

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['gzip, deflate', 'gzip'],
  ['deflate, gzip', 'deflate'],
  ['gzip;q=0.5, deflate;q=0.8', 'deflate'],
  ['identity, gzip', 'identity'],
  ['identity;q=0.5, gzip;q=0.1', 'identity'],
  ['br, gzip', 'gzip'],
  ['GZIP', 'identity'],
  ['*', 'identity'],
  ['gzip;q=0', 'identity'],
  ['gzip;q=x, deflate;q=0.1', 'deflate'],
  [';q=1, ,gzip', 'gzip'],
])('%s', (accept, expected) => {
  expect(negotiateEncoding(accept)).toBe(expected)
})
