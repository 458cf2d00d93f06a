import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { WakeUp } from './wake-up.ts'

test('comes at the earliest time that was asked for, and once', () => {
  const clock = virtualClock(5)
  const seen: number[] = []
  const wakeUp = new WakeUp(clock, () => seen.push(clock.now()))
  wakeUp.by(20)
  wakeUp.by(10)
  wakeUp.by(15)
  expect(clock.timers).toBe(1)
  expect(wakeUp.at).toBe(10)
  clock.advance(50)
  expect(seen).toEqual([10])
  expect(wakeUp.at).toBe(Number.POSITIVE_INFINITY)
})

test('never is no timer', () => {
  const clock = virtualClock()
  new WakeUp(clock, () => {}).by(Number.POSITIVE_INFINITY)
  expect(clock.timers).toBe(0)
})

test('may be set again when it comes, and taken back', () => {
  const clock = virtualClock()
  const seen: number[] = []
  const wakeUp = new WakeUp(clock, () => {
    seen.push(clock.now())
    if (seen.length < 3) wakeUp.by(clock.now() + 1)
  })
  wakeUp.by(1)
  clock.advance(10)
  expect(seen).toEqual([1, 2, 3])
  wakeUp.by(20)
  wakeUp.cancel()
  clock.advance(20)
  expect(seen).toHaveLength(3)
})
