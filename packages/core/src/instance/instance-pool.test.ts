import { describe, expect, test } from 'vitest'
import type { InstanceContext } from '../backend/backend.ts'
import { InferenceStats } from '../metrics/inference-stats.ts'
import { systemClock } from '../util/clock.ts'
import { InstancePool } from './instance-pool.ts'
import { ModelInstance } from './model-instance.ts'
import { RateLimiter } from './rate-limiter.ts'

const backend = { execute() {}, async dispose() {} }

/** An instance; with a rate limiter it needs `count` of its one resource. */
function instance(name: string, limiter?: RateLimiter, count = 1): ModelInstance {
  const slot = { name, group: { passive: false } } as InstanceContext
  const contender = limiter?.register({ resources: [{ name: 'R', count, global: false }], priority: 1 }, 0)
  return new ModelInstance(slot, backend, new InferenceStats(), systemClock, contender)
}

function pool(...instances: ModelInstance[]): { pool: InstancePool; heard: boolean[] } {
  const made = new InstancePool(instances)
  const heard: boolean[] = []
  made.onIdle(() => heard.push(made.hasIdle))
  return { pool: made, heard }
}

describe('without a rate limiter', () => {
  test('the first instance comes first, later the one that ran last', () => {
    const [a, b] = [instance('a'), instance('b')]
    const { pool: both, heard } = pool(a, b)
    expect([both.acquire(), both.acquire(), both.acquire()]).toEqual([a, b, undefined])
    both.release(a)
    both.release(b)
    expect(heard).toEqual([true, true])
    expect(both.acquire()).toBe(b)
  })

  test('an instance that runs is removed when it is through', async () => {
    const [a, b] = [instance('a'), instance('b')]
    const { pool: both, heard } = pool(a, b)
    await both.remove(b)
    expect([both.acquire(), both.acquire()]).toEqual([a, undefined])
    let isGone = false
    const removed = both.remove(a).then(() => {
      isGone = true
    })
    await Promise.resolve()
    expect(isGone).toBe(false)
    both.release(a)
    await removed
    expect(both.hasIdle).toBe(false)
    expect(heard).toEqual([])
  })
})

describe('with a rate limiter', () => {
  test('what is idle is given when its turn comes', () => {
    const limiter = new RateLimiter([{ name: 'R', count: 1 }])
    const [a, b] = [instance('a', limiter), instance('b', limiter)]
    const [one, other] = [pool(a), pool(b)]
    expect(one.pool.acquire()).toBe(a)
    expect(other.pool.hasIdle).toBe(true)
    expect(other.pool.acquire()).toBeUndefined()
    expect(other.pool.hasIdle).toBe(false)
    one.pool.release(a)
    expect(other.heard).toEqual([true])
    expect(other.pool.acquire()).toBe(b)
  })

  test('waive gives up the place in the queue, or the turn', () => {
    const limiter = new RateLimiter([{ name: 'R', count: 1 }])
    const [a, b, c] = ['a', 'b', 'c'].map((name) => pool(instance(name, limiter)))
    const running = a!.pool.acquire() as ModelInstance
    expect([b!.pool.acquire(), c!.pool.acquire()]).toEqual([undefined, undefined])
    b!.pool.waive()
    a!.pool.release(running)
    expect([b!.heard, c!.heard]).toEqual([[], [true]])
    expect(b!.pool.acquire()).toBeUndefined()
    c!.pool.waive()
    expect(b!.heard).toEqual([true])
    expect(b!.pool.acquire()?.name).toBe('b')
  })

  test('a new instance that ran less has its turn before the one that waits', () => {
    const limiter = new RateLimiter([{ name: 'R', count: 1 }])
    const [old, other] = [instance('old', limiter), instance('other', limiter)]
    const [mine, theirs] = [pool(old), pool(other)]
    for (let run = 0; run < 3; run++) mine.pool.release(mine.pool.acquire() as ModelInstance)
    theirs.pool.acquire()
    expect(mine.pool.acquire()).toBeUndefined()
    const young = instance('young', limiter)
    mine.pool.add(young)
    expect(mine.pool.acquire()).toBeUndefined()
    theirs.pool.release(other)
    expect(mine.pool.acquire()).toBe(young)
  })

  test('nobody else comes in between while the choice is made again', () => {
    const limiter = new RateLimiter([{ name: 'R', count: 2 }])
    const [large, small, young] = [instance('l', limiter, 2), instance('s', limiter), instance('y', limiter, 2)]
    const [mine, first, behind] = [pool(large), pool(small), pool(instance('behind', limiter))]
    for (const { pool: each } of [mine, behind]) each.release(each.acquire() as ModelInstance)
    mine.pool.onIdle(() => mine.pool.acquire())
    behind.heard.length = 0
    first.pool.acquire()
    expect([mine.pool.acquire(), behind.pool.acquire()]).toEqual([undefined, undefined])
    mine.pool.add(young)
    expect(behind.heard).toEqual([])
    first.pool.release(small)
    expect(young.contender?.hasTurn).toBe(true)
  })

  test('a removed instance that waits makes place for another', async () => {
    const limiter = new RateLimiter([{ name: 'R', count: 1 }])
    const [running, a, b] = [instance('running', limiter), instance('a', limiter), instance('b', limiter)]
    const [other, mine] = [pool(running), pool(a, b)]
    other.pool.acquire()
    expect(mine.pool.acquire()).toBeUndefined()
    await Promise.all([mine.pool.remove(a), mine.pool.remove(b)])
    other.pool.release(running)
    expect(mine.pool.hasIdle).toBe(false)
    expect(other.pool.acquire()).toBe(running)
  })

  test('an instance that is removed is not staged again by whom its place is for', async () => {
    const limiter = new RateLimiter([{ name: 'R', count: 2 }])
    const [first, large, small] = [instance('f', limiter), instance('l', limiter, 2), instance('s', limiter)]
    const [running, mine, other] = [pool(first), pool(large), pool(small)]
    running.pool.acquire()
    expect([mine.pool.acquire(), other.pool.acquire()]).toEqual([undefined, undefined])
    other.pool.onIdle(() => other.heard.push(mine.pool.acquire() === undefined))
    await mine.pool.remove(large)
    expect(other.heard).toEqual([true])
    expect(other.pool.acquire()).toBe(small)
    expect(mine.pool.hasIdle).toBe(false)
  })

  test('two pools that always have work take turns', () => {
    const limiter = new RateLimiter([{ name: 'R', count: 1 }])
    const turns: string[] = []
    const running: (() => void)[] = []
    for (const name of ['a', 'b']) {
      const made = new InstancePool([instance(name, limiter), instance(name, limiter)])
      const work = (): void => {
        for (let next = made.acquire(); next !== undefined; next = made.acquire()) {
          const taken = next
          turns.push(name)
          running.push(() => made.release(taken))
        }
      }
      made.onIdle(work)
      work()
    }
    for (let run = 0; run < 100; run++) {
      expect(running.length).toBe(1)
      running.shift()?.()
    }
    expect(Math.abs(turns.filter((name) => name === 'a').length - 50)).toBeLessThanOrEqual(1)
  })
})
