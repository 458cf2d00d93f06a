import { describe, expect, test } from 'vitest'
import { TritonError } from '../../errors.ts'
import { SequenceRig } from './fixtures/sequence-rig.ts'

const stopping = 'Server is stopping, scheduler for model has stopped accepting new inference requests'

/** Whether a promise has resolved by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<false>((resolve) => setImmediate(resolve, false))])
}

describe.each(['', 'oldest { max_candidate_sequences: 2 }'])('after stopAccepting, %j', (batching) => {
  test('sequences that live go on, new ones are refused', async () => {
    const rig = new SequenceRig(2, batching)
    rig.step('+a1')
    rig.version.stopAccepting()
    expect(() => rig.step('+b1')).toThrow(stopping)
    expect(() => rig.step('+a2')).toThrow(stopping)
    rig.step('a2-')
    await rig.finishAll()
    expect(rig.heard).toEqual(['a1 ok', 'a2 ok'])
  })

  test('the version is drained when they have ended', async () => {
    const rig = new SequenceRig(2, batching)
    rig.step('+a1')
    await rig.finishAll()
    rig.version.stopAccepting()
    const drained = rig.version.drained()
    expect(await isDone(drained)).toBe(false)
    rig.step('a2-')
    expect(await isDone(drained)).toBe(false)
    await rig.finishAll()
    await drained
  })

  test('or when they were idle for too long', async () => {
    const rig = new SequenceRig(2, batching)
    rig.step('+a1')
    await rig.finishAll()
    rig.version.stopAccepting()
    const drained = rig.version.drained()
    rig.clock.advance(1000)
    await drained
    expect(rig.clock.timers).toBe(0)
  })

  test('the backlog is served', async () => {
    const rig = new SequenceRig(1, batching)
    rig.steps('+a1 +b1 +c1-')
    rig.version.stopAccepting()
    rig.steps('a2- b2-')
    await rig.finishAll()
    await rig.version.drained()
    expect(rig.heard).toHaveLength(5)
  })
})

describe.each(['', 'oldest { max_candidate_sequences: 2 max_queue_delay_microseconds: 100 }'])(
  'at the end, %j',
  (batching) => {
    test('a version that nobody finds any more does not wait for idle sequences', async () => {
      const rig = new SequenceRig(2, batching)
      rig.step('+a1')
      rig.clock.advance(1)
      await rig.finishAll()
      await rig.version.dispose()
      expect(rig.clock.timers).toBe(0)
    })

    test('but for the requests that came', async () => {
      const rig = new SequenceRig(1, batching)
      rig.steps('+a1 a2 +b1')
      const disposed = rig.version.dispose()
      expect(await isDone(disposed)).toBe(false)
      rig.clock.advance(1)
      while (rig.heard.length < 3) {
        await rig.finish()
        rig.clock.advance(1)
      }
      await disposed
      expect(rig.heard.toSorted()).toEqual(['a1 ok', 'a2 ok', 'b1 ok'])
    })

    test('when the time is up every request is told, and nothing is left', async () => {
      const rig = new SequenceRig(2, batching)
      rig.steps('+a1 +b1')
      rig.clock.advance(1)
      rig.steps('a2 b2 +c1 +d1-')
      rig.version.stopAccepting()
      const drained = rig.version.drained()
      rig.version.abandonAll(new TritonError('UNAVAILABLE', 'over'))
      expect(rig.heard.toSorted()).toEqual(['a1 over', 'a2 over', 'b1 over', 'b2 over', 'c1 over', 'd1 over'])
      expect(rig.stats.pending).toBe(0)
      expect(rig.clock.timers).toBe(0)
      await rig.finishAll()
      await drained
      expect(rig.heard).toHaveLength(6)
    })
  },
)
