import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { silentLogger } from '../../util/logger.ts'
import { StoreError } from './object-store.ts'
import { type Attempt, Retries } from './retries.ts'

const rig = (random = 1) => {
  const clock = virtualClock()
  return { clock, retries: new Retries(clock, () => random, silentLogger) }
}

const busy = async (): Promise<never> => {
  throw new StoreError('busy', 'busy')
}

/** Ends as work must when its signal is aborted. */
const hang = ({ signal }: Attempt): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test.each([
  [1, [0, 200, 600, 1400, 3000]],
  [0, [0, 100, 300, 700, 1500]],
])('five tries, with delays that double (random %d)', async (random, times) => {
  const { clock, retries } = rig(random)
  const tries: number[] = []
  const work = () => {
    tries.push(clock.now())
    return busy()
  }
  const failure = retries.run(work, { what: 'try', patience: 1000 }).catch((error: unknown) => error)
  await clock.advance(0)
  for (let at = 0; at < 40; at++) await clock.advance(100)
  expect(await failure).toMatchObject({ kind: 'busy', message: 'tried 5 times, last: busy' })
  expect(tries).toEqual(times)
  expect(clock.timers).toBe(0)
})

test('a try that hangs is aborted, but not one from which something comes', async () => {
  const { clock, retries } = rig()
  let attempt: Attempt | undefined
  const work = (current: Attempt) => {
    attempt = current
    return hang(current)
  }
  const failure = retries.run(work, { what: 'try', patience: 1000 }).catch((error: unknown) => error)
  await clock.advance(900)
  attempt?.alive()
  const first = attempt
  await clock.advance(900)
  expect(first?.signal.aborted).toBe(false)
  await clock.advance(100)
  expect(first?.signal.reason).toMatchObject({ kind: 'busy', message: 'nothing came for 1 s' })
  for (let at = 0; at < 20; at++) await clock.advance(500)
  expect(await failure).toMatchObject({ message: 'tried 5 times, last: nothing came for 1 s' })
})

test.each([
  ['while it works', hang, 0],
  ['in a delay', busy, 50],
])('a signal ends it at once, %s', async (_, work, after) => {
  const { clock, retries } = rig()
  const controller = new AbortController()
  const reason = new Error('given up')
  const failure = retries
    .run(work, { what: 'try', patience: 1000, signal: controller.signal })
    .catch((error: unknown) => error)
  await clock.advance(after)
  controller.abort(reason)
  expect(await failure).toBe(reason)
  expect(clock.timers).toBe(0)
})

test('what is not busy, and what is no error of a store, is not tried again', async () => {
  const { clock, retries } = rig()
  for (const error of [new StoreError('denied', 'no'), new StoreError('missing', 'no'), new TypeError('no')]) {
    let tries = 0
    const work = async () => {
      tries++
      throw error
    }
    await expect(retries.run(work, { what: 'try', patience: 1000 })).rejects.toBe(error)
    expect(tries).toBe(1)
  }
  expect(clock.timers).toBe(0)
})
