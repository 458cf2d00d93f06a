import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { TritonError } from '../errors.ts'
import { silentLogger } from '../util/logger.ts'
import { Keeper, type Mortal } from './keeper.ts'

/** Something that ends when the test says so. */
class Fly implements Mortal {
  end!: (error: TritonError) => void
  readonly ended = new Promise<TritonError>((resolve) => {
    this.end = resolve
  })

  async stop(): Promise<void> {
    this.end(new TritonError('INTERNAL', 'stopped'))
  }
}

function kept() {
  const clock = virtualClock()
  const flies = [new Fly()]
  const revivals: Revival[] = []
  const revive = (): Promise<Fly> => new Promise((resolve, reject) => revivals.push({ resolve, reject }))
  const keeper = new Keeper(flies[0] as Fly, { what: 'the fly', model: 'm', clock, logger: silentLogger, revive })
  const die = async (fly: Fly | undefined): Promise<void> => {
    fly?.end(new TritonError('INTERNAL', 'dead'))
    await clock.advance(0)
    // The timer of the restart was set meanwhile.
    await clock.advance(0)
  }
  return { clock, first: flies[0] as Fly, revivals, keeper, die }
}

interface Revival {
  resolve(fly: Fly): void
  reject(error: unknown): void
}

test('whoever can wait gets the next one, or hears that it did not come', async () => {
  const { clock, first, revivals, keeper, die } = kept()
  expect(await keeper.soon(0)).toBe(first)
  await die(first)
  expect(() => keeper.expect()).toThrow('the fly is down, it restarts now')
  const waiting = keeper.soon(0)
  revivals.shift()?.reject(new Error('no'))
  await expect(waiting).rejects.toThrow('the fly is down, it restarts in 1 s')
  await expect(keeper.soon(500)).rejects.toThrow('it restarts in 1 s')
  const patient = keeper.soon(1000)
  await clock.advance(1000)
  const second = new Fly()
  revivals.shift()?.resolve(second)
  expect(await patient).toBe(second)
  await keeper.stop(async () => {})
})

test('nobody waits for a keeper that stops', async () => {
  const { first, revivals, keeper, die } = kept()
  await die(first)
  const waiting = keeper.soon(0).catch(String)
  const stopped = keeper.stop(async () => {})
  expect(await waiting).toContain('the fly is down')
  revivals.shift()?.reject(new Error('given up'))
  await stopped
})
