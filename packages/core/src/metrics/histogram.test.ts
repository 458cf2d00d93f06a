import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DoublingHistogram, doublingBounds } from './doubling-histogram.ts'
import { Histogram, histogramSnapshot } from './histogram.ts'

const bounds = Float64Array.of(0.1, 1, 2.5, 10)

test('a value is counted at the first bound that it is not above', () => {
  const histogram = new Histogram(bounds)
  for (const value of [0, 0.1, 0.11, 1, 2.5, 10, 10.1, 1e9]) histogram.observe(value)
  expect([...histogram.counts]).toEqual([2, 2, 1, 1, 2])
  expect(histogram.sum).toBeCloseTo(0.1 + 0.11 + 1 + 2.5 + 10 + 10.1 + 1e9)
})

test('the bucket of any value is where a search from the start finds it', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: 0, max: 20 }), (value) => {
      const histogram = new Histogram(bounds)
      histogram.observe(value)
      const place = bounds.findIndex((bound) => value <= bound)
      expect(histogram.counts.indexOf(1)).toBe(place < 0 ? bounds.length : place)
    }),
  )
})

test('with bounds that double the same bucket is found without a search', () => {
  const doubling = doublingBounds(0.1, 18)
  const near = fc.tuple(fc.integer({ min: 0, max: 17 }), fc.constantFrom(1 - 1e-9, 1, 1 + 1e-9))
  const value = fc.oneof(
    fc.double({ noNaN: true, min: 0, max: 30_000 }),
    near.map(([i, factor]) => (doubling[i] as number) * factor),
    fc.constantFrom(0, 1e-300, 1e12, 1e300),
  )
  fc.assert(
    fc.property(value, (one) => {
      const [found, searched] = [new DoublingHistogram(doubling), new Histogram(doubling)]
      found.observe(one)
      searched.observe(one)
      expect(found.counts).toEqual(searched.counts)
    }),
  )
})

test('a snapshot is what all have seen, in its unit', () => {
  const [a, b] = [new Histogram(bounds), new Histogram(bounds)]
  a.observe(1)
  b.observe(1)
  b.observe(20)
  expect(histogramSnapshot([a, b], bounds, 10)).toEqual({
    bounds: [0.01, 0.1, 0.25, 1],
    counts: [0, 2, 0, 0, 1],
    sum: 2.2,
  })
})
