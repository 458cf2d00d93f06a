import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeGrpcMessage } from './grpc-message.ts'
import { parseGrpcTimeout } from './grpc-timeout.ts'
import { encodingOf, responseEncoding } from './message-encoding.ts'

test.each([
  ['1H', 3_600_000],
  ['2M', 120_000],
  ['30S', 30_000],
  ['99999999m', 99_999_999],
  ['1500u', 1.5],
  ['2000000n', 2],
  ['0m', 0],
])('grpc-timeout %s is %d ms', (text, time) => {
  expect(parseGrpcTimeout(text)).toBeCloseTo(time, 9)
})

test.each(['', '1', 'm', '-1m', '1.5S', '123456789m', '1s', ' 1S', '1S '])('grpc-timeout %j is none', (text) => {
  expect(parseGrpcTimeout(text)).toBeUndefined()
})

test('a text survives its escaping, and what is sent is printable', () => {
  expect(encodeGrpcMessage('plain text')).toBe('plain text')
  expect(encodeGrpcMessage('100 %\n')).toBe('100 %25%0A')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const encoded = encodeGrpcMessage(text)
      expect(encoded).toMatch(/^[\x20-\x7e]*$/)
      expect(decodeURIComponent(encoded)).toBe(text)
    }),
  )
})

test('responses are compressed with what the client reads', () => {
  expect(responseEncoding('low', 'identity, deflate, gzip')).toBe('gzip')
  expect(responseEncoding('high', 'identity,deflate,gzip')).toBe('deflate')
  expect(responseEncoding('medium', 'gzip')).toBe('gzip')
  expect(responseEncoding('low', 'identity')).toBe('identity')
  expect(responseEncoding('low', undefined)).toBe('identity')
  expect(responseEncoding('none', 'gzip')).toBe('identity')
})

test('an encoding that is not known here is none', () => {
  expect(encodingOf(undefined)).toBe('identity')
  expect(encodingOf('gzip')).toBe('gzip')
  expect(encodingOf('snappy')).toBeUndefined()
})
