import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tally } from './fixtures/tally.ts'
import { keyHash, textSalt } from './key-hash.ts'

describe('the hash of a key', () => {
  test('lies between 0 and 1, exclusive', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.integer(), (key, version, salt) => {
        const hash = keyHash(key, version, salt)
        expect(hash).toBeGreaterThan(0)
        expect(hash).toBeLessThan(1)
        expect(keyHash(key, version, salt)).toBe(hash)
      }),
    )
  })

  test.each([
    ['numbers', (i: number) => String(i)],
    ['numbers in a text', (i: number) => `user-${i}`],
    ['texts of one repeated character', (i: number) => 'a'.repeat(i % 500) + String.fromCharCode(i / 500)],
    ['UUIDs that differ at the start', (i: number) => `${i.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`],
  ])('is spread evenly over %s, for every version', (_, key) => {
    const count = 51_200
    for (const version of [0, 1, 2, 3, 1000]) {
      const cells = tally(count, (i) => Math.floor(keyHash(key(i), version, textSalt('m')) * 256))
      let chiSquare = 0
      for (let cell = 0; cell < 256; cell++) chiSquare += ((cells.get(cell) ?? 0) - count / 256) ** 2 / (count / 256)
      // 255 degrees of freedom: the mean is 255, the standard deviation 22.6.
      expect(chiSquare).toBeLessThan(255 + 5 * 22.6)
      expect(chiSquare).toBeGreaterThan(255 - 5 * 22.6)
    }
  })

  test('has no collisions among a hundred thousand keys', () => {
    const hashes = new Set(Array.from({ length: 100_000 }, (_, i) => keyHash(`k${i}`, 1, 1)))
    expect(hashes.size).toBe(100_000)
  })

  test('of one version says nothing about that of another', () => {
    const count = 20_000
    const same = tally(count, (i) => Number(keyHash(`k${i}`, 1, 1) < 0.5 === keyHash(`k${i}`, 2, 1) < 0.5))
    expect(Math.abs(same.get(1)! - count / 2)).toBeLessThan(400)
  })
})
