import { describe, expect, test } from 'vitest'
import { toCorrelationId } from './correlation-id.ts'

describe('toCorrelationId', () => {
  test.each([
    [undefined, 0n],
    [7, 7n],
    [2n ** 64n - 1n, 2n ** 64n - 1n],
    ['', ''],
    ['x'.repeat(128), 'x'.repeat(128)],
    ['é'.repeat(64), 'é'.repeat(64)],
  ])('%s', (given, kept) => {
    expect(toCorrelationId(given)).toBe(kept)
  })

  test.each([-1, 1.5, Number.NaN, 2 ** 53, -1n, 2n ** 64n])('%s is no 64 bits without sign', (given) => {
    expect(() => toCorrelationId(given)).toThrow(
      `correlation id ${given} is not a string or an exact integer from 0 to 2^64 - 1`,
    )
  })

  test('a number that is not exact should be a bigint', () => {
    expect(() => toCorrelationId(2 ** 53)).toThrow('above 2^53 - 1 give it as a bigint')
  })

  test.each(['x'.repeat(129), 'é'.repeat(65)])('%s is too long', (given) => {
    expect(() => toCorrelationId(given)).toThrow('string correlation ID cannot be longer than 128 characters')
  })
})
