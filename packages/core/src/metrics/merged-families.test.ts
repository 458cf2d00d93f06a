import { describe, expect, test } from 'vitest'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { config, started } from '../fixtures/server-rig.ts'
import { silentLogger } from '../util/logger.ts'
import { Complaints } from './complaints.ts'
import { FamilyNames } from './family-names.ts'
import { MergedFamilies } from './merged-families.ts'
import type { FamilyHead, MetricFamilySnapshot } from './metric-family.ts'
import { TextSink } from './text-sink.ts'

const render = (...families: MetricFamilySnapshot[]) => {
  const warnings: string[] = []
  const logger = { ...silentLogger, warn: (_: unknown, text?: string) => warnings.push(text ?? '') }
  const taken: FamilyHead = { name: 'taken', help: '', type: 'histogram' }
  const merged = new MergedFamilies(new FamilyNames([taken]), new Complaints(logger))
  for (const family of families) merged.add(family)
  const sink = new TextSink('prometheus')
  for (const _ of merged.write(sink));
  return { lines: sink.take().split('\n').slice(0, -1), warnings }
}

const counter = (name: string, value: number, labels: Record<string, string> = {}): MetricFamilySnapshot => ({
  name,
  help: 'Things',
  type: 'counter',
  samples: [{ labels, value }],
})

const histogram = (bounds: readonly number[], counts: readonly number[], sum: number): MetricFamilySnapshot => ({
  name: 'h',
  help: 'Times',
  type: 'histogram',
  samples: [
    { labels: {}, buckets: bounds.map((le, i) => ({ le, count: counts[i] ?? 0 })), sum, count: counts.at(-1) ?? 0 },
  ],
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
    const samples = values.map((value, i) => ({ labels: { i: String(i) }, value }))
    const { lines } = render({ name: 'g', help: '', type: 'gauge', samples })
    expect(lines.slice(2)).toEqual(['g{i="0"} +Inf', 'g{i="1"} -Inf', 'g{i="2"} NaN', 'g{i="3"} 1e+21'])
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

  test('that several count with the same labels has the sum of them in one series', () => {
    const labels = { model: 'a', zone: 'z' }
    const gauge = { ...counter('g', 5), type: 'gauge' as const }
    const { lines, warnings } = render(
      counter('c', 1, labels),
      counter('c', 3, { zone: 'z', model: 'a' }),
      histogram([1, 2], [1, 4], 6),
      histogram([1, 2], [2, 3], 4),
      gauge,
      gauge,
    )
    expect(lines.filter((line) => !line.startsWith('#'))).toEqual([
      'c{model="a",zone="z"} 4',
      'h_bucket{le="1"} 3',
      'h_bucket{le="2"} 7',
      'h_bucket{le="+Inf"} 7',
      'h_sum 10',
      'h_count 7',
      'g 10',
    ])
    expect(warnings).toEqual([])
  })

  test('has the first of two histograms that cannot be added', () => {
    const { lines, warnings } = render(histogram([1], [1], 1), histogram([2], [5], 5))
    expect(lines).toContain('h_count 1')
    expect(warnings).toEqual(["metric 'h' is left out: two histograms {} have different buckets"])
  })

  test.each<[string, MetricFamilySnapshot]>([
    ['a name has letters, digits, _ and : and starts with no digit', counter('2 c', 1)],
    ['the server has a metric of that name', counter('taken', 1)],
    ['it is a gauge, and there is a counter of that name', { ...counter('ok', 1), type: 'gauge' }],
    ['a sample does not fit a histogram', { ...counter('h', 1), type: 'histogram' }],
    ["it cannot have a label 'a-b'", counter('c', 1, { 'a-b': '' })],
    ["its label 'n' is no text", counter('c', 1, { n: 7 as unknown as string })],
    ['its help is no text', { ...counter('c', 1), help: undefined as unknown as string }],
    ['a counter is a number from 0 on, and this one is NaN', counter('c', Number.NaN)],
    ['a counter is a number from 0 on, and this one is -1', counter('c', -1)],
    ['its series would be mistaken for those of taken', counter('taken_sum', 1)],
    ['its series would be mistaken for those of ok', { ...counter('ok_total', 1) }],
    ['the bounds or counts of a histogram go down', histogram([2, 1], [1, 1], 1)],
    ['the bounds or counts of a histogram go down', histogram([1, 2], [3, 2], 1)],
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

test('a collector that tells nonsense spoils nothing, and each family is complained of once', async () => {
  const logged: string[] = []
  const log = (_: unknown, text?: string): void => void logged.push(text ?? '')
  const backend = inlineBackend('identity', ({ collectMetrics }) => {
    collectMetrics(() => [undefined as unknown as MetricFamilySnapshot, counter('2', 1), counter('mine', 7)])
    collectMetrics(() => undefined as unknown as MetricFamilySnapshot[])
    return {}
  })
  const logger = { ...silentLogger, warn: log, error: log }
  const server = await started({ 'm/config.pbtxt': config(), 'm/1/': '' }, { backends: [backend], logger })
  for (let page = 0; page < 3; page++) expect(server.metrics()).toContain('\nmine 7\n')
  expect(logged.filter((text) => text.includes("metric '2' is left out"))).toHaveLength(1)
  expect(logged.filter((text) => text === 'a collector of metrics threw')).toHaveLength(3)
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
  const end = (text: string) => `} 0\n# HELP mine Things\n# TYPE mine counter\n${text}`
  value = 2
  expect(server.metrics().endsWith(end(`mine 2\n${other}`))).toBe(true)
  fails = true
  expect(server.metrics().endsWith(end(other))).toBe(true)
  expect(errors).toEqual(['a collector of metrics threw'])
  stop()
  expect(server.metrics().endsWith(end(other))).toBe(true)
  expect(errors).toHaveLength(1)
})
