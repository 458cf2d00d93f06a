import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TraceSampler } from './trace-sampler.ts'
import type { TraceSettings } from './trace-settings.ts'

const settings = (more: Partial<TraceSettings>): TraceSettings => ({
  level: ['TIMESTAMPS'],
  rate: 1,
  count: -1,
  logFrequency: 0,
  file: 'f',
  mode: 'triton',
  exporter: {},
  ...more,
})

/** Which of so many requests are traced, the first one being 1. */
function chosen(sampler: TraceSampler, requests: number): number[] {
  return Array.from({ length: requests }, (_, i) => i + 1).filter(() => sampler.sample(false))
}

test('every rate-th request is traced, at most as many as the count says', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: -1, max: 20 }),
      fc.integer({ min: 0, max: 200 }),
      (rate, count, requests) => {
        const sampler = new TraceSampler(settings({ rate, count }))
        const turns = Array.from({ length: Math.floor(requests / rate) }, (_, i) => (i + 1) * rate)
        const expected = count === -1 ? turns : turns.slice(0, count)
        expect(chosen(sampler, requests)).toEqual(expected)
        expect(sampler.remaining).toBe(count === -1 ? -1 : count - expected.length)
        expect(sampler.taken).toBe(expected.length)
      },
    ),
  )
})

test('settings that are out of order choose nothing', () => {
  for (const broken of [{ level: [] }, { rate: 0 }, { file: '' }] as const) {
    expect(chosen(new TraceSampler(settings(broken)), 10)).toEqual([])
  }
  expect(chosen(new TraceSampler(settings({ file: '', mode: 'opentelemetry' })), 2)).toEqual([1, 2])
})

test('a request of a trace of its caller is always traced, and takes the turn that it has', () => {
  const sampler = new TraceSampler(settings({ rate: 2, count: 1, mode: 'opentelemetry' }))
  expect([true, true, false, false, true].map((forced) => sampler.sample(forced))).toEqual([
    true,
    true,
    false,
    false,
    true,
  ])
  expect(sampler.remaining).toBe(0)
  expect(new TraceSampler(settings({ rate: 0, mode: 'opentelemetry' })).sample(true)).toBe(true)
})
