import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { Summary } from './summary.ts'

const median = [{ quantile: 0.5, error: 0.05 }]

test('a value counts for its quantiles for 48 to 60 seconds, and for sum and number for ever', async () => {
  const clock = virtualClock()
  const summary = new Summary(median, clock)
  expect(summary.quantile(0.5)).toBeNaN()
  summary.observe(10)
  await clock.advance(47_000)
  expect(summary.quantile(0.5)).toBe(10)
  summary.observe(30)
  summary.observe(40)
  await clock.advance(13_000)
  expect(summary.quantile(0.5)).toBe(30)
  await clock.advance(60_000)
  expect(summary.quantile(0.5)).toBeNaN()
  expect([summary.sum, summary.count]).toEqual([80, 3])
})

test('after a long time without values nothing old is left', async () => {
  const clock = virtualClock()
  const summary = new Summary(median, clock)
  summary.observe(1)
  await clock.advance(1e9)
  summary.observe(2)
  expect(summary.quantile(0.5)).toBe(2)
})
