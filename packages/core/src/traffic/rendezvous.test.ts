import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tally } from './fixtures/tally.ts'
import { rendezvous } from './rendezvous.ts'
import { readyShares, type VersionShare, versionShares } from './version-share.ts'

const choose = (weights: Record<number, number>, key: string, { salt = 1, absent = [] as number[] } = {}) =>
  rendezvous(ready(versionShares(weights, 'm'), absent), key, salt)

const ready = (shares: readonly VersionShare[], absent: readonly number[] = []): VersionShare[] =>
  readyShares(
    shares,
    shares.filter(({ version }) => !absent.includes(version)),
  )

/** Keys as they are in practice, which differ in a few characters. */
const user = (i: number): string => `user-${i}`

describe('the version of a key', () => {
  test('is the same as long as the weights are', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 5 }),
        (key, weights) => {
          const shares: VersionShare[] = weights.map((weight, version) => ({ version, weight }))
          const chosen = rendezvous(shares, key, 7)
          expect(rendezvous(shares, key, 7)).toBe(chosen)
          // In whatever order and unit they are written.
          const scaled = shares.map(({ version, weight }) => ({ version, weight: weight * 2 })).reverse()
          expect(rendezvous(scaled, key, 7)).toBe(chosen)
        },
      ),
    )
  })

  test.each([
    { 1: 90, 2: 10 },
    { 1: 1, 2: 1, 3: 1 },
    { 1: 0.5, 2: 0.3, 3: 0.15, 4: 0.05 },
    { 1: 999, 2: 1 },
  ])('is each as often as the weights %o say', (weights) => {
    const count = 50_000
    const times = tally(count, (i) => choose(weights, user(i)))
    const total = Object.values(weights).reduce((a, b) => a + b)
    for (const { version, weight } of versionShares(weights, 'm')) {
      const probability = weight / total
      // Five standard deviations; the keys are the same in every run.
      const tolerance = 5 * Math.sqrt(count * probability * (1 - probability))
      expect(Math.abs((times.get(version) ?? 0) - count * probability)).toBeLessThan(tolerance)
    }
  })

  test('changes with the weights only where the one it goes to gained more than the one it leaves', () => {
    const weight = fc.integer({ min: 0, max: 20 })
    const change = fc.tuple(weight, weight)
    fc.assert(
      fc.property(fc.array(change, { minLength: 2, maxLength: 5 }), fc.nat(1000), (changes, first) => {
        const before = changes.map(([weight], version) => ({ version, weight }))
        const after = changes.map(([, weight], version) => ({ version, weight }))
        const gain = (version: number): number => after[version]!.weight / before[version]!.weight
        for (let i = first; i < first + 200; i++) {
          const from = rendezvous(ready(before), user(i), 3)
          const to = rendezvous(ready(after), user(i), 3)
          if (from === to || from === undefined || to === undefined) continue
          expect(gain(to)).toBeGreaterThan(gain(from))
        }
      }),
    )
  })

  test('stays with all but a tenth of the keys when a tenth moves', () => {
    const moved = tally(20_000, (i) =>
      choose({ 1: 90, 2: 10 }, user(i)) === choose({ 1: 80, 2: 20 }, user(i)) ? 0 : 1,
    )
    expect(moved.get(1)).toBeGreaterThan(1800)
    expect(moved.get(1)).toBeLessThan(2200)
  })

  test('moves only if its own does not serve, and comes back with it', () => {
    const weights = { 1: 60, 2: 30, 3: 10 }
    const absent = [1]
    const left = tally(30_000, (i) => {
      const own = choose(weights, user(i))
      const now = choose(weights, user(i), { absent })
      if (own !== 1) expect(now).toBe(own)
      return own === 1 ? now : 0
    })
    // About 18,000 keys are divided three to one.
    expect(left.get(2)! / left.get(3)!).toBeGreaterThan(2.8)
    expect(left.get(2)! / left.get(3)!).toBeLessThan(3.2)
  })

  test('is none where nothing with a weight serves', () => {
    expect(choose({ 1: 1, 2: 0 }, 'k', { absent: [1] })).toBeUndefined()
  })

  test('is also found where a weight is next to nothing', () => {
    expect(choose({ 1: 1e-320 }, 'k')).toBe(1)
  })

  test('in one model says nothing about that in another', () => {
    const halves = { 1: 1, 2: 1 }
    const same = tally(20_000, (i) => Number(choose(halves, user(i)) === choose(halves, user(i), { salt: 2 })))
    expect(Math.abs(same.get(1)! - 10_000)).toBeLessThan(400)
  })
})
