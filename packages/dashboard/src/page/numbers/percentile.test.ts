import fc from 'fast-check'
import { expect, test } from 'vitest'
import { histogramSince, mergeHistograms, percentile } from './percentile.ts'

test('values of a bucket count as evenly spread', () => {
  const histogram = { bounds: [1, 2, 4], counts: [0, 10, 0, 0] }
  expect(percentile(histogram, 0.5)).toBe(1.5)
  expect(percentile(histogram, 0.99)).toBeCloseTo(1.99)
  expect(percentile({ bounds: [1, 2, 4], counts: [5, 0, 5, 0] }, 0.5)).toBe(1)
})

test('what is above all bounds counts as the highest', () => {
  expect(percentile({ bounds: [1, 2], counts: [0, 0, 3] }, 0.5)).toBe(2)
})

test('without observations there is none', () => {
  expect(percentile({ bounds: [1, 2], counts: [0, 0, 0] }, 0.5)).toBeUndefined()
  expect(percentile(mergeHistograms([]), 0.5)).toBeUndefined()
})

test('percentiles grow with their share and stay within the bounds', () => {
  const counts = fc.array(fc.nat(1000), { minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(
      counts,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (counts, a, b) => {
        fc.pre(counts.some((count) => count > 0))
        const histogram = { bounds: [0.1, 1, 10], counts }
        const [low, high] = [percentile(histogram, Math.min(a, b)) ?? -1, percentile(histogram, Math.max(a, b)) ?? -1]
        expect(low).toBeGreaterThanOrEqual(0)
        expect(low).toBeLessThanOrEqual(high)
        expect(high).toBeLessThanOrEqual(10)
      },
    ),
  )
})

test('histograms are subtracted and added bucket by bucket', () => {
  const one = { bounds: [1], counts: [2, 3] }
  const other = { bounds: [1], counts: [10, 5] }
  expect(histogramSince(other, one)).toEqual({ bounds: [1], counts: [8, 2] })
  expect(histogramSince(other, undefined)).toEqual(other)
  expect(mergeHistograms([one, other, { bounds: [1, 2], counts: [1, 1, 1] }])).toEqual({ bounds: [1], counts: [12, 8] })
})
