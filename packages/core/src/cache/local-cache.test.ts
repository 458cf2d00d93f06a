import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { localCache } from './local-cache.ts'

const overhead = 128
const options = { signal: new AbortController().signal }
const bytes = (size: number, value = 0) => new Uint8Array(size).fill(value)

describe('size', () => {
  test.each([0, 1, overhead])('%i bytes hold nothing', (size) => {
    expect(() => localCache({ size })).toThrow(`Failed to initialize LocalCache: ${size} bytes are too few`)
  })

  test.each([-1, 1.5, Number.NaN, 2 ** 64])('%d is no size', (size) => {
    expect(() => localCache({ size })).toThrow("config didn't contain a valid 'size' field")
  })

  test('more than the machine has', () => {
    expect(() => localCache({ size: 2 ** 52 })).toThrow('Failed to initialize LocalCache: failed to allocate buffer')
  })

  test('an entry larger than the cache is refused and drives nothing out', () => {
    const cache = localCache({ size: 1000 })
    cache.insert('small', bytes(100), { replace: false })
    expect(() => cache.insert('large', bytes(1000), { replace: false })).toThrow(
      'Requested byte_size: 1128 is greater than total cache size: 1000',
    )
    expect(cache.lookup('small', options)).toEqual(bytes(100))
  })
})

test('the least recently used goes first', () => {
  const cache = localCache({ size: 1200 })
  const has = (key: string) => cache.lookup(key, options) !== undefined
  for (const key of ['0', '1']) cache.insert(key, bytes(440), { replace: false })
  expect([has('0'), has('1')]).toEqual([true, true])
  cache.insert('2', bytes(440), { replace: false })
  expect([has('2'), has('0'), has('1')]).toEqual([true, false, true])
  cache.insert('3', bytes(440), { replace: false })
  expect([has('3'), has('1'), has('2')]).toEqual([true, true, false])
})

test('a key that is there keeps its entry unless it is to be replaced', () => {
  const cache = localCache({ size: 1200 })
  expect(cache.insert('k', bytes(8, 1), { replace: false })).toBe(true)
  expect(cache.insert('k', bytes(8, 2), { replace: false })).toBe(false)
  expect(cache.lookup('k', options)).toEqual(bytes(8, 1))
  expect(cache.insert('k', bytes(900, 3), { replace: true })).toBe(true)
  expect(cache.lookup('k', options)).toEqual(bytes(900, 3))
})

test('what is found is a copy', () => {
  const cache = localCache({ size: 1200 })
  cache.insert('k', bytes(8), { replace: false })
  ;(cache.lookup('k', options) as Uint8Array).fill(9)
  expect(cache.lookup('k', options)).toEqual(bytes(8))
})

test('nothing is left after it was disposed', () => {
  const cache = localCache({ size: 1200 })
  cache.insert('k', bytes(8), { replace: false })
  cache.dispose()
  expect(cache.lookup('k', options)).toBeUndefined()
})

/** A cache as one would write it on paper: a list of keys and sizes, the least recently used first. */
class Paper {
  readonly #size: number
  #entries: { key: string; size: number; value: number }[] = []

  constructor(size: number) {
    this.#size = size
  }

  get used(): number {
    return this.#entries.reduce((sum, { size }) => sum + size + overhead, 0)
  }

  lookup(key: string): number | undefined {
    const found = this.#entries.find((entry) => entry.key === key)
    if (found !== undefined) this.#entries = [...this.#entries.filter((entry) => entry !== found), found]
    return found?.value
  }

  insert(key: string, size: number, value: number, replace: boolean): boolean | 'too large' {
    if (!replace && this.#entries.some((entry) => entry.key === key)) return false
    if (size + overhead > this.#size) return 'too large'
    this.#entries = this.#entries.filter((entry) => entry.key !== key)
    while (this.used + size + overhead > this.#size) this.#entries.shift()
    this.#entries.push({ key, size, value })
    return true
  }
}

test('it holds what a list on paper holds, and never more than its size', () => {
  const key = fc.constantFrom(...'abcdefgh')
  const step = fc.oneof(
    fc.record({ key }),
    fc.record({ key, size: fc.integer({ min: 1, max: 1200 }), value: fc.nat(255), replace: fc.boolean() }),
  )
  fc.assert(
    fc.property(fc.integer({ min: overhead + 1, max: 2000 }), fc.array(step, { maxLength: 100 }), (limit, steps) => {
      const cache = localCache({ size: limit })
      const paper = new Paper(limit)
      for (const one of steps) {
        if (!('size' in one)) {
          const found = cache.lookup(one.key, options) as Uint8Array | undefined
          expect(found?.[0]).toBe(paper.lookup(one.key))
          continue
        }
        const { key, size, value, replace } = one
        const expected = paper.insert(key, size, value, replace)
        const insert = () => cache.insert(key, bytes(size, value), { replace })
        if (expected === 'too large') expect(insert).toThrow('is greater than total cache size')
        else expect(insert()).toBe(expected)
        expect(paper.used).toBeLessThanOrEqual(limit)
      }
    }),
  )
})
