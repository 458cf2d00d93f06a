import fc from 'fast-check'
import { expect, test } from 'vitest'
import { VectorIndex } from './models/retriever/1/vector-index.ts'

test('finds the nearest first', () => {
  const index = new VectorIndex<string>()
  index.add(Float32Array.of(1, 0), 'east')
  index.add(Float32Array.of(0, 1), 'north')
  index.add(Float32Array.of(0.6, 0.8), 'north-east')
  const found = index.nearest(Float32Array.of(0, 1), 2)
  expect(found).toEqual([
    { item: 'north', score: 1 },
    { item: 'north-east', score: expect.closeTo(0.8, 5) },
  ])
  expect(new VectorIndex().nearest(Float32Array.of(0, 1), 2)).toEqual([])
})

test('nothing that it leaves out is nearer than what it gives', () => {
  const vector = fc.tuple(fc.nat(100), fc.nat(100), fc.nat(100)).map((numbers) => Float32Array.from(numbers))
  fc.assert(
    fc.property(fc.array(vector), vector, fc.nat(5), (vectors, sought, count) => {
      const index = new VectorIndex<number>()
      for (const [i, other] of vectors.entries()) index.add(other, i)
      const scores = vectors.map((other) => other.reduce((sum, value, i) => sum + value * sought[i]!, 0))
      const best = scores.toSorted((a, b) => b - a).slice(0, count)
      expect(index.nearest(sought, count).map(({ score }) => score)).toEqual(best)
    }),
  )
})
