import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Contender } from './contender.ts'
import { RateLimiter } from './rate-limiter.ts'

const needs = (count: number, priority = 0) => ({ resources: [{ name: 'R', count, global: false }], priority })

/** Stages and notes who has a turn, in order. */
function rig(limiter = new RateLimiter()) {
  const turns: string[] = []
  const stage = (name: string, contender: Contender): void => {
    if (contender.stage(() => turns.push(name))) turns.push(name)
  }
  return { limiter, turns, stage }
}

describe('whose turn it is', () => {
  test('the one that ran least, and of equal ones the one staged first', () => {
    const { limiter, turns, stage } = rig()
    const [a, b, c] = [1, 1, 1].map((count) => limiter.register(needs(count), 0)) as [Contender, Contender, Contender]
    stage('a', a)
    stage('b', b)
    a.finish(() => stage('a', a))
    stage('c', c)
    b.finish()
    c.finish()
    expect(turns).toEqual(['a', 'b', 'c', 'a'])
  })

  test('the first waits for all its resources, and nobody behind it is let through', () => {
    const { limiter, turns, stage } = rig()
    const [small, large, other] = [2, 4, 1].map((count) => limiter.register(needs(count), 0)) as [
      Contender,
      Contender,
      Contender,
    ]
    stage('small', small)
    stage('large', large)
    stage('other', other)
    expect(turns).toEqual(['small'])
    small.finish()
    expect(turns).toEqual(['small', 'large'])
    large.finish()
    expect(turns).toEqual(['small', 'large', 'other'])
  })

  test('those that need nothing wait too when the first does', () => {
    const { limiter, turns, stage } = rig()
    const [running, waiting] = [limiter.register(needs(1), 0), limiter.register(needs(1), 0)]
    const idle = limiter.register(undefined, 0)
    stage('running', running)
    stage('waiting', waiting)
    stage('idle', idle)
    expect(turns).toEqual(['running'])
    running.finish()
    expect(turns).toEqual(['running', 'waiting', 'idle'])
  })

  test.each([
    [2, 0.5],
    [3, 1 / 3],
    [1, 1],
    [0, 1],
  ])('with priority %d an instance has %d of the turns of one with 1', (priority, share) => {
    const { limiter, turns, stage } = rig()
    const one = limiter.register(needs(1, 1), 0)
    const other = limiter.register(needs(1, priority), 0)
    stage('one', one)
    stage('other', other)
    while (turns.length < 1200) {
      const name = turns.at(-1) as string
      const contender = name === 'one' ? one : other
      contender.finish(() => stage(name, contender))
    }
    const count = (name: string) => turns.filter((turn) => turn === name).length
    expect(count('other') / count('one')).toBeCloseTo(share, 2)
  })

  test('a device is nothing to another', () => {
    const { limiter, turns, stage } = rig()
    stage('gpu 0', limiter.register(needs(1), 0))
    stage('gpu 1', limiter.register(needs(1), 1))
    expect(turns).toEqual(['gpu 0', 'gpu 1'])
  })
})

describe('what is not used', () => {
  test('a turn that is given up goes to the next and does not count as a run', () => {
    const { limiter, turns, stage } = rig()
    const [a, b] = [limiter.register(needs(1), 0), limiter.register(needs(1), 0)]
    stage('a', a)
    stage('b', b)
    a.withdraw()
    expect(turns).toEqual(['a', 'b'])
    expect([a.rank, b.rank]).toEqual([0, 0])
  })

  test('the first in the queue that withdraws lets the others through', () => {
    const { limiter, turns, stage } = rig()
    const [small, large, other] = [2, 4, 1].map((count) => limiter.register(needs(count), 0)) as [
      Contender,
      Contender,
      Contender,
    ]
    stage('small', small)
    stage('large', large)
    stage('other', other)
    large.dispose()
    expect(turns).toEqual(['small'])
    small.finish()
    expect(turns).toEqual(['small', 'other'])
  })

  test('a promised turn that is aborted is not taken', async () => {
    const { limiter, turns, stage } = rig()
    const [a, b, c] = [1, 1, 1].map((count) => limiter.register(needs(count), 0)) as [Contender, Contender, Contender]
    await a.turn(new AbortController().signal)
    const abort = new AbortController()
    const waiting = b.turn(abort.signal)
    stage('c', c)
    abort.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    a.finish()
    expect(turns).toEqual(['c'])
    expect(b.hasTurn).toBe(false)
  })
})

/** The rule, written down as plainly as can be. */
class Reference {
  readonly #capacity: number
  readonly #demands: readonly { count: number; priority: number }[]
  readonly runs: number[]
  staged: number[] = []
  running: number[] = []

  constructor(capacity: number, demands: readonly { count: number; priority: number }[]) {
    this.#capacity = capacity
    this.#demands = demands
    this.runs = demands.map(() => 0)
  }

  allocate(): void {
    const rank = (i: number) => this.runs[i]! * Math.max(1, this.#demands[i]!.priority)
    for (;;) {
      const first = this.staged.toSorted((a, b) => rank(a) - rank(b))[0]
      if (first === undefined) return
      const used = this.running.reduce((sum, i) => sum + this.#demands[i]!.count, 0)
      if (used + this.#demands[first]!.count > this.#capacity) return
      this.staged = this.staged.filter((i) => i !== first)
      this.running.push(first)
    }
  }
}

test('never commits more than there is, and gives turns as the reference does', () => {
  const demand = fc.record({ count: fc.nat(6), priority: fc.nat(3) })
  const step = fc.record({ who: fc.nat(5), action: fc.constantFrom('stage', 'finish', 'finish and stage', 'withdraw') })
  const scenario = fc.tuple(
    fc.array(demand, { minLength: 6, maxLength: 6 }),
    fc.integer({ min: 6, max: 12 }),
    fc.array(step, { maxLength: 200 }),
  )
  fc.assert(
    fc.property(scenario, ([demands, capacity, steps]) => {
      const limiter = new RateLimiter([{ name: 'R', count: capacity }])
      const contenders = demands.map(({ count, priority }) => limiter.register(needs(count, priority), 0))
      const reference = new Reference(capacity, demands)
      const told = new Set<number>()
      const stage = (i: number): void => {
        if (contenders[i]!.stage(() => told.add(i))) told.add(i)
      }
      for (const { who, action } of steps) {
        const contender = contenders[who]!
        const isStaged = reference.staged.includes(who)
        const isRunning = reference.running.includes(who)
        if (action === 'stage' && !isStaged && !isRunning) {
          reference.staged.push(who)
          stage(who)
        } else if (action === 'withdraw' && (isStaged || isRunning)) {
          reference.staged = reference.staged.filter((i) => i !== who)
          reference.running = reference.running.filter((i) => i !== who)
          told.delete(who)
          contender.withdraw()
        } else if (action.startsWith('finish') && isRunning) {
          reference.running = reference.running.filter((i) => i !== who)
          reference.runs[who]!++
          told.delete(who)
          if (action === 'finish') contender.finish()
          else {
            reference.staged.push(who)
            contender.finish(() => stage(who))
          }
        }
        reference.allocate()
        const used = contenders.reduce((sum, { hasTurn }, i) => sum + (hasTurn ? demands[i]!.count : 0), 0)
        expect(used).toBeLessThanOrEqual(capacity)
        expect(contenders.flatMap(({ hasTurn }, i) => (hasTurn ? [i] : []))).toEqual(reference.running.toSorted())
        expect([...told].toSorted()).toEqual(reference.running.toSorted())
      }
    }),
    { numRuns: 500 },
  )
})

test('nobody starves: with everybody always asking, ranks stay within one run of each other', () => {
  const demand = fc.record({ count: fc.nat(4), priority: fc.integer({ min: 1, max: 3 }) })
  fc.assert(
    fc.property(
      fc.array(demand, { minLength: 2, maxLength: 6 }),
      fc.array(fc.nat(5), { maxLength: 200 }),
      (demands, ends) => {
        const limiter = new RateLimiter([{ name: 'R', count: 4 }])
        const contenders = demands.map(({ count, priority }) => limiter.register(needs(count, priority), 0))
        const stage = (contender: Contender): void => void contender.stage(() => {})
        contenders.forEach(stage)
        for (const end of ends) {
          const running = contenders.filter(({ hasTurn }) => hasTurn)
          expect(running.length).toBeGreaterThan(0)
          const contender = running[end % running.length]!
          contender.finish(() => stage(contender))
        }
        const waiting = contenders.filter(({ hasTurn }) => !hasTurn).map(({ rank }) => rank)
        const running = contenders.filter(({ hasTurn }) => hasTurn).map(({ rank }) => rank)
        if (waiting.length === 0) return
        expect(Math.min(...running)).toBeLessThanOrEqual(Math.max(...waiting) + 3)
        expect(Math.max(...running)).toBeLessThanOrEqual(Math.min(...waiting) + 3)
      },
    ),
  )
})
