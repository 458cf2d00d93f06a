import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'

test.each([0, 0.1, 0.9, 1.5, 3.2])('a timer of %d ms does not come early', async (delay) => {
  const start = systemClock.now()
  await new Promise<void>((resolve) => systemClock.schedule(resolve, delay))
  expect(systemClock.now() - start).toBeGreaterThanOrEqual(delay)
})

test.each([0, 0.1, 5])('a timer of %d ms that is taken back does not come', async (delay) => {
  let calls = 0
  systemClock.schedule(() => calls++, delay).cancel()
  await new Promise<void>((resolve) => systemClock.schedule(resolve, delay + 1))
  expect(calls).toBe(0)
})

test('a timer keeps the process alive until it comes or is taken back', () => {
  const timeouts = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
  const before = timeouts()
  const timer = systemClock.schedule(() => {}, 60_000)
  expect(timeouts()).toBe(before + 1)
  timer.cancel()
  expect(timeouts()).toBe(before)
})
