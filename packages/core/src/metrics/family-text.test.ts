import { describe, expect, test } from 'vitest'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { config, started } from '../fixtures/server-rig.ts'
import { silentLogger } from '../util/logger.ts'
import { familyLines } from './family-text.ts'
import type { MetricFamilySnapshot } from './metric-family.ts'

const render = (...families: MetricFamilySnapshot[]) => {
  const warnings: string[] = []
  const logger = { ...silentLogger, warn: (_: unknown, text?: string) => warnings.push(text ?? '') }
  return { lines: familyLines(families, new Set(['taken']), logger), warnings }
}

const counter = (name: string, value: number, labels: Record<string, string> = {}): MetricFamilySnapshot => ({
  name,
  help: 'Things',
  type: 'counter',
  samples: [{ labels, value }],
})

describe('a family', () => {
  test('has its labels by name, and what would end a text early is escaped', () => {
    const family = { ...counter('c', 1.5, { b: 'a "quote"', a: 'back\\slash\nline' }), help: 'one\\two\n"three"' }
    expect(render(family).lines).toEqual([
      '# HELP c one\\\\two\\n"three"',
      '# TYPE c counter',
      'c{a="back\\\\slash\\nline",b="a \\"quote\\""} 1.5',
    ])
  })

  test('has values that are no ordinary numbers', () => {
    const values = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e21]
    const samples = values.map((value) => ({ labels: {}, value }))
    const { lines } = render({ name: 'g', help: '', type: 'gauge', samples })
    expect(lines.slice(2)).toEqual(['g +Inf', 'g -Inf', 'g NaN', 'g 1e+21'])
  })

  test('of a histogram ends with the bucket of everything', () => {
    const buckets = [
      { le: 0.1, count: 1 },
      { le: 5, count: 3 },
    ]
    const all = { le: Number.POSITIVE_INFINITY, count: 4 }
    const samples = [
      { labels: {}, buckets, sum: 12.5, count: 4 },
      { labels: { zone: 'z' }, buckets: [...buckets, all], sum: 12.5, count: 4 },
    ]
    expect(render({ name: 'h', help: 'Times', type: 'histogram', samples }).lines).toEqual([
      '# HELP h Times',
      '# TYPE h histogram',
      'h_bucket{le="0.1"} 1',
      'h_bucket{le="5"} 3',
      'h_bucket{le="+Inf"} 4',
      'h_sum 12.5',
      'h_count 4',
      'h_bucket{zone="z",le="0.1"} 1',
      'h_bucket{zone="z",le="5"} 3',
      'h_bucket{zone="z",le="+Inf"} 4',
      'h_sum{zone="z"} 12.5',
      'h_count{zone="z"} 4',
    ])
  })

  test('is printed once for all that have samples of it, and not at all without any', () => {
    const { lines, warnings } = render(
      { ...counter('empty', 0), samples: [] },
      counter('c', 1, { model: 'a' }),
      counter('d', 2),
      counter('c', 3, { model: 'b' }),
    )
    expect(lines).toEqual([
      '# HELP c Things',
      '# TYPE c counter',
      'c{model="a"} 1',
      'c{model="b"} 3',
      '# HELP d Things',
      '# TYPE d counter',
      'd 2',
    ])
    expect(warnings).toEqual([])
  })

  test.each<[string, MetricFamilySnapshot]>([
    ['a name has letters, digits, _ and : and starts with no digit', counter('2 c', 1)],
    ['the server has a metric of that name', counter('taken', 1)],
    ['it is a gauge, and there is a counter of that name', { ...counter('ok', 1), type: 'gauge' }],
    ['a sample does not fit a histogram', { ...counter('h', 1), type: 'histogram' }],
    ["it cannot have a label 'a-b'", counter('c', 1, { 'a-b': '' })],
    [
      "it cannot have a label 'le'",
      {
        name: 'h',
        help: '',
        type: 'histogram',
        samples: [{ labels: { le: '1' }, buckets: [], sum: 0, count: 0 }],
      },
    ],
  ])('that would spoil the page is left out: %s', (problem, family) => {
    const { lines, warnings } = render(counter('ok', 1), family)
    expect(lines).toEqual(['# HELP ok Things', '# TYPE ok counter', 'ok 1'])
    expect(warnings).toEqual([`metric '${family.name}' is left out: ${problem}`])
  })
})

test('the page of a Server ends with what backends collect, as long as they do', async () => {
  let value = 1
  let fails = false
  let stop = (): void => {}
  const errors: string[] = []
  const backend = inlineBackend('identity', ({ collectMetrics }) => {
    stop = collectMetrics(() => {
      if (fails) throw new Error('no figures')
      return [counter('mine', value)]
    })
    collectMetrics(() => [counter('mine', 7, { from: 'other' })])
    return {}
  })
  const logger = { ...silentLogger, error: (_: unknown, text?: string) => errors.push(text ?? '') }
  const server = await started({ 'm/config.pbtxt': config(), 'm/1/': '' }, { backends: [backend], logger })
  const other = 'mine{from="other"} 7\n'
  const end = (text: string) => `version="1"} 0\n# HELP mine Things\n# TYPE mine counter\n${text}`
  value = 2
  expect(server.metrics().endsWith(end(`mine 2\n${other}`))).toBe(true)
  fails = true
  expect(server.metrics().endsWith(end(other))).toBe(true)
  expect(errors).toEqual(['a collector of metrics threw'])
  stop()
  expect(server.metrics().endsWith(end(other))).toBe(true)
  expect(errors).toHaveLength(1)
})
