import { expect, test } from 'vitest'
import { tally } from './fixtures/tally.ts'
import { ModelSplit } from './model-split.ts'
import { readyShares } from './version-share.ts'

/** The version whose turn it is among these. */
const next = (split: ModelSplit, id: string, ...versions: number[]): number | undefined =>
  split.next(
    id,
    readyShares(
      split.shares,
      versions.map((version) => ({ version })),
    ),
  )

test('turns of versions that are not ready go to the others in proportion, until they are back', () => {
  const split = new ModelSplit('m', { weights: { 1: 2, 2: 5, 3: 1 } })
  const times = (count: number, ...versions: number[]) =>
    Object.fromEntries(tally(count, () => next(split, 'm', ...versions)))
  times(5, 1, 2, 3)
  expect(times(300, 1, 3)).toEqual({ 1: 200, 3: 100 })
  expect(times(10, 2)).toEqual({ 2: 10 })
  expect(times(800, 1, 2, 3)).toEqual({ 1: 200, 2: 500, 3: 100 })
  expect(next(split, 'm', 4)).toBeUndefined()
})

test('two models of one name have turns of their own', () => {
  const split = new ModelSplit('m', { weights: { 1: 1, 2: 1 } })
  expect(['a', 'b', 'a', 'b'].map((id) => next(split, id, 1, 2))).toEqual([1, 1, 2, 2])
})
