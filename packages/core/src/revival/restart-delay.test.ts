import { expect, test } from 'vitest'
import { RestartDelay } from './restart-delay.ts'

test('each restart waits longer, up to a limit', () => {
  const delay = new RestartDelay()
  delay.up(0)
  const waits = Array.from({ length: 9 }, () => delay.down(1000) / 1000)
  expect(waits).toEqual([0, 1, 2, 4, 8, 16, 30, 30, 30])
})

test('a process that lived for a while begins anew', () => {
  const delay = new RestartDelay()
  expect([delay.down(0), delay.down(0)]).toEqual([0, 1000])
  delay.up(5000)
  expect(delay.down(34_999)).toBe(2000)
  delay.up(40_000)
  expect(delay.down(70_000)).toBe(0)
})
