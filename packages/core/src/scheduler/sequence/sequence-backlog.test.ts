import { describe, expect, test } from 'vitest'
import { SequenceRig } from './fixtures/sequence-rig.ts'

const expired = 'timeout of the corresponding sequence has been expired'

describe.each(['', 'oldest { }'])('the backlog, %j', (batching) => {
  test('takes whole sequences in order, which move into the first slot that is free', async () => {
    const rig = new SequenceRig(2, batching)
    rig.steps('+a1 +b1 +c1 +d1 d2- c2-')
    await rig.finishAll()
    rig.step('b2-')
    await rig.finishAll()
    rig.step('a2-')
    await rig.finishAll()
    const order = rig.batches.flatMap(({ ids }) => ids).filter((id) => id !== '')
    expect(order.toSorted()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2'])
    expect(order.indexOf('c1')).toBeLessThan(order.indexOf('d1'))
    expect(order.indexOf('b2')).toBeLessThan(order.indexOf('c1'))
  })

  test('a request without timeout waits as long as it takes', async () => {
    const rig = new SequenceRig(1, `${batching} max_sequence_idle_microseconds: 1000000000`)
    rig.steps('+a1 +b1')
    await rig.finish()
    rig.clock.advance(999_999)
    expect(rig.heard).toEqual(['a1 ok'])
  })

  test.each([Number.NaN, -1])('a timeout of %d is none', async (timeoutMicroseconds) => {
    const rig = new SequenceRig(1, batching)
    rig.step('+a1-')
    rig.step('+b1-', { timeoutMicroseconds })
    expect(rig.clock.timers).toBe(0)
    await rig.finishAll()
    expect(rig.heard).toEqual(['a1 ok', 'b1 ok'])
  })

  test('the earliest timeout of its requests ends the whole sequence', async () => {
    const rig = new SequenceRig(1, batching)
    rig.step('+a1')
    rig.step('+b1')
    rig.step('b2', { timeoutMicroseconds: 50_000 })
    rig.clock.advance(10)
    rig.step('b3', { timeoutMicroseconds: 20_000 })
    rig.clock.advance(20)
    expect(rig.heard).toEqual([])
    rig.clock.advance(1)
    expect(rig.heard).toEqual([`b1 ${expired}`, `b2 ${expired}`, `b3 ${expired}`])
    expect(rig.stats.failures.REJECTED).toBe(3)
    expect(() => rig.step('b4')).toThrow('START')
    rig.step('a2-')
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'a2'])
    expect(rig.stats.pending).toBe(0)
    expect(rig.clock.timers).toBe(0)
  })

  test('the timeout is over with the slot', async () => {
    const rig = new SequenceRig(1, batching)
    rig.step('+a1')
    rig.step('+b1', { timeoutMicroseconds: 10_000 })
    rig.step('a2-')
    await rig.finishAll()
    rig.clock.advance(11)
    rig.step('b2-', { timeoutMicroseconds: 10 })
    await rig.finishAll()
    expect(rig.heard.filter((line) => line.startsWith('b'))).toEqual(['b1 ok', 'b2 ok'])
  })

  test('in a slot requests have none, however long they wait', async () => {
    const rig = new SequenceRig(1, batching)
    rig.step('+a1')
    rig.step('a2-', { timeoutMicroseconds: 1000 })
    expect(rig.clock.timers).toBe(0)
    rig.clock.advance(100)
    await rig.finishAll()
    expect(rig.heard).toEqual(['a1 ok', 'a2 ok'])
  })

  test('each sequence has its own timeout', async () => {
    const rig = new SequenceRig(1, batching)
    rig.step('+a1')
    rig.step('+b1-', { timeoutMicroseconds: 30_000 })
    rig.step('+c1-', { timeoutMicroseconds: 10_000 })
    rig.step('+d1-', { timeoutMicroseconds: 20_000 })
    rig.clock.advance(25)
    expect(rig.heard).toEqual([`c1 ${expired}`, `d1 ${expired}`])
    rig.step('a2-')
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'a2', 'b1'])
  })
})
