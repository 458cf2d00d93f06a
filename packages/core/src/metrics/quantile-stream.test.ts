import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { QuantileStream, type SummaryQuantile } from './quantile-stream.ts'

const targets: readonly SummaryQuantile[] = [
  { quantile: 0.5, error: 0.05 },
  { quantile: 0.9, error: 0.01 },
  { quantile: 0.95, error: 0.001 },
  { quantile: 0.99, error: 0.001 },
  { quantile: 0.999, error: 0.001 },
]

/** How far the ranks of a value are from the rank wanted, as a share of all. */
function rankError(sorted: readonly number[], value: number, quantile: number): number {
  const rank = quantile * sorted.length
  const below = sorted.filter((one) => one < value).length
  const notAbove = sorted.filter((one) => one <= value).length
  return Math.max(0, below + 1 - rank, rank - notAbove) / sorted.length
}

function expectTrue(values: readonly number[]): void {
  const stream = new QuantileStream(targets)
  for (const value of values) stream.insert(value)
  const sorted = [...values].sort((a, b) => a - b)
  for (const { quantile, error } of targets) {
    // A rank is a whole number: nothing is nearer than one of them.
    const most = error + 1.5 / values.length
    expect(rankError(sorted, stream.query(quantile), quantile), `quantile ${quantile}`).toBeLessThanOrEqual(most)
  }
}

describe('quantiles are as exact as they are asked to be', () => {
  test('of any values', () => {
    const value = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.double({ noNaN: true, min: 0, max: 1e9 }))
    fc.assert(fc.property(fc.array(value, { minLength: 1, maxLength: 3000 }), expectTrue), { numRuns: 60 })
  })

  test.each<[string, (i: number) => number]>([
    ['ascending', (i) => i],
    ['descending', (i) => -i],
    ['alternating', (i) => (i % 2 === 0 ? i : -i)],
    ['with a long tail', (i) => 1 / (1 + ((i * 7919) % 20011))],
    ['all the same', () => 7],
  ])('of 20,000 values, %s', (_, value) => expectTrue(Array.from({ length: 20_000 }, (_, i) => value(i))))
})

test('without values there is none, and none is left after it was cleared', () => {
  const stream = new QuantileStream(targets)
  expect(stream.query(0.5)).toBeNaN()
  for (let i = 0; i < 1000; i++) stream.insert(i)
  stream.clear()
  expect(stream.query(0.5)).toBeNaN()
  stream.insert(3)
  expect(stream.query(0.999)).toBe(3)
})
