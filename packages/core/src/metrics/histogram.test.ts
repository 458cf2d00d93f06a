import fc from 'fast-check'
import { expect, test } from 'vitest'
import { batchSizeBounds, batchSizePlace, durationBounds, durationPlace } from './doubling-bounds.ts'
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

const firstNotBelow = (limits: Float64Array, value: number): number => {
  const place = limits.findIndex((bound) => value <= bound)
  return place < 0 ? limits.length : place
}

test('among bounds that double the place of a duration is found without a search', () => {
  const near = fc.tuple(fc.integer({ min: 0, max: 17 }), fc.constantFrom(1 - 1e-9, 1, 1 + 1e-9))
  const value = fc.oneof(
    fc.double({ noNaN: true, min: 0, max: 30_000 }),
    near.map(([i, factor]) => (durationBounds[i] as number) * factor),
    fc.constantFrom(0, 1e-300, 1e12, 1e300, Number.POSITIVE_INFINITY),
  )
  fc.assert(
    fc.property(value, (one) => {
      expect(durationPlace(one)).toBe(firstNotBelow(durationBounds, one))
    }),
  )
})

test('so is that of a batch size', () => {
  for (let size = 0; size <= 600; size++) expect(batchSizePlace(size)).toBe(firstNotBelow(batchSizeBounds, size))
  expect(batchSizePlace(2 ** 40)).toBe(batchSizeBounds.length)
})

test('a snapshot is what was seen, in its unit, and empty where nothing was', () => {
  const histogram = new Histogram(bounds)
  for (const value of [1, 1, 20]) histogram.observe(value)
  const scaled = [0.01, 0.1, 0.25, 1]
  expect(histogramSnapshot(histogram, scaled, 10)).toEqual({ bounds: scaled, counts: [0, 2, 0, 0, 1], sum: 2.2 })
  expect(histogramSnapshot(undefined, scaled, 10)).toEqual({ bounds: scaled, counts: [0, 0, 0, 0, 0], sum: 0 })
})
