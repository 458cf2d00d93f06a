import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tally } from './fixtures/tally.ts'
import { RoundRobin } from './round-robin.ts'
import { type VersionShare, versionShares } from './version-share.ts'

const turns = (shares: readonly VersionShare[]) => new RoundRobin(shares)
const weightsOf = (weights: readonly number[]): VersionShare[] =>
  weights.map((weight, i) => ({ version: i + 1, weight }))
const sum = (weights: readonly number[]): number => weights.reduce((total, weight) => total + weight, 0)

describe('turns', () => {
  test('are spread evenly', () => {
    const robin = turns(versionShares({ 1: 5, 2: 1, 3: 2 }, 'm'))
    expect(Array.from({ length: 16 }, () => robin.next())).toEqual([1, 3, 1, 1, 2, 1, 3, 1, 1, 3, 1, 1, 2, 1, 3, 1])
  })

  test('are exactly the weights in any so many choices that the weights add up to', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }).filter((weights) => sum(weights) > 0),
        fc.nat(200),
        (weights, before) => {
          const robin = turns(weightsOf(weights))
          for (let i = 0; i < before; i++) robin.next()
          const times = tally(sum(weights), () => robin.next())
          expect(weights.map((_, i) => times.get(i + 1) ?? 0)).toEqual(weights)
        },
      ),
    )
  })

  test('with fractions are as exact, and do not drift', () => {
    const robin = turns(versionShares({ 1: 0.7, 2: 0.2, 3: 0.1 }, 'm'))
    const times = tally(1_000_000, () => robin.next())
    expect([1, 2, 3].map((version) => times.get(version))).toEqual([700_000, 200_000, 100_000])
  })

  test('there are none where nothing has a share', () => {
    expect(turns([]).next()).toBeUndefined()
  })
})
