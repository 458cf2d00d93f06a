import { expect, test } from 'vitest'
import { ModelMetrics } from './model-metrics.ts'

test('instances share families and metrics by name and labels', () => {
  const metrics = new ModelMetrics()
  const family = metrics.family('calls', 'Calls', 'COUNTER')
  expect(metrics.family('calls', 'Calls', 'COUNTER')).toBe(family)
  const one = metrics.metric(family, { a: '1', b: '2' })
  expect(metrics.metric(family, { b: '2', a: '1' })).toBe(one)
  const two = metrics.metric(family, { a: '2' })
  metrics.operate([
    [one, 'increment', 2],
    [two, 'increment', 0.5],
    [one, 'increment', 1],
    [99, 'increment', 1],
  ])
  expect(metrics.value(one)).toBe(3)
  expect(metrics.snapshot()).toEqual([
    {
      name: 'calls',
      help: 'Calls',
      type: 'counter',
      samples: [
        { labels: { a: '1', b: '2' }, value: 3 },
        { labels: { a: '2' }, value: 0.5 },
      ],
    },
  ])
})

test('a histogram counts observations up to each bound', () => {
  const metrics = new ModelMetrics()
  const metric = metrics.metric(metrics.family('sizes', '', 'HISTOGRAM'), {}, [1, 10])
  metrics.operate([0.5, 1, 5, 100].map((value) => [metric, 'observe', value]))
  const buckets = [
    { le: 1, count: 2 },
    { le: 10, count: 3 },
  ]
  expect(metrics.snapshot()[0]?.samples).toEqual([{ labels: {}, buckets, sum: 106.5, count: 4 }])
})

test('unknown kinds, other kinds and unknown handles are errors', () => {
  const metrics = new ModelMetrics()
  metrics.family('calls', '', 'COUNTER')
  expect(() => metrics.family('calls', '', 'GAUGE')).toThrow("metric family 'calls' is a counter already, not a gauge")
  expect(() => metrics.family('x', '', 'TIMER')).toThrow("unknown kind 'TIMER'")
  expect(() => metrics.metric(7, {})).toThrow('there is no metric family 7')
  expect(() => metrics.value(7)).toThrow('there is no metric 7')
})
