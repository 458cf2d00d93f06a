import { describe, expect, test } from 'vitest'
import { parseKnownDifferences } from './known-differences.ts'

describe('parseKnownDifferences', () => {
  test('gives every id the reason above it', () => {
    const known = parseKnownDifferences('# one\na/x\na/y\n\n# two\nb/x\n')
    expect([...known]).toEqual([
      ['a/x', 'one'],
      ['a/y', 'one'],
      ['b/x', 'two'],
    ])
  })

  test('refuses an id without a reason, and one that comes twice', () => {
    expect(() => parseKnownDifferences('a/x')).toThrow("'a/x' has no reason")
    expect(() => parseKnownDifferences('# one\na/x\n# two\na/x')).toThrow("'a/x' is listed twice")
  })
})
