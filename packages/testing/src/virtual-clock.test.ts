import { expect, test } from 'vitest'
import { virtualClock } from './virtual-clock.ts'

test('timers fall due in order of time, then of setting', () => {
  const clock = virtualClock(100)
  const seen: string[] = []
  clock.schedule(() => seen.push(`b@${clock.now()}`), 20)
  clock.schedule(() => seen.push(`a@${clock.now()}`), 10)
  clock.schedule(() => seen.push(`c@${clock.now()}`), 20)
  clock.advance(19)
  expect(seen).toEqual(['a@110'])
  clock.advance(1)
  expect(seen).toEqual(['a@110', 'b@120', 'c@120'])
  expect(clock.now()).toBe(120)
})

test('a timer that is set while another falls due is called in the same move when it is due', () => {
  const clock = virtualClock()
  const seen: number[] = []
  clock.schedule(() => clock.schedule(() => seen.push(clock.now()), 5), 5)
  clock.advance(10)
  expect(seen).toEqual([10])
})

test('a cancelled timer is never called', () => {
  const clock = virtualClock()
  let called = false
  const timer = clock.schedule(() => {
    called = true
  }, 1)
  timer.cancel()
  clock.advance(10)
  expect(called).toBe(false)
  expect(clock.timers).toBe(0)
})

test('what waits for a timer has gone on when the move is awaited', async () => {
  const clock = virtualClock()
  const seen: string[] = []
  const wait = (delay: number) => new Promise<void>((resolve) => clock.schedule(resolve, delay))
  const work = async () => {
    await wait(5)
    await Promise.resolve()
    seen.push(`first at ${clock.now()}`)
    await wait(5)
    seen.push(`second at ${clock.now()}`)
  }
  const done = work()
  const moved = clock.advance(7)
  expect(clock.now()).toBe(7)
  expect(seen).toEqual([])
  await moved
  expect(seen).toEqual(['first at 7'])
  await clock.advance(5)
  expect(seen).toEqual(['first at 7', 'second at 12'])
  await done
})

test('time never goes back', () => {
  const clock = virtualClock(5)
  expect(() => clock.advance(-1)).toThrow(RangeError)
  expect(() => clock.advance(Number.NaN)).toThrow('a clock cannot be advanced by NaN ms')
  expect(() => clock.advance(Number.POSITIVE_INFINITY)).toThrow(RangeError)
  const seen: number[] = []
  clock.schedule(() => void clock.advance(20), 1)
  clock.schedule(() => seen.push(clock.now()), 30)
  clock.schedule(() => seen.push(clock.now()), 2)
  clock.advance(10)
  expect([...seen, clock.now()]).toEqual([7, 26])
})
