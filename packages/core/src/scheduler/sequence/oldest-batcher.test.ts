import { describe, expect, test } from 'vitest'
import { SequenceRig } from './fixtures/sequence-rig.ts'

const waiting = 'oldest { max_candidate_sequences: 8 preferred_batch_size: 2 max_queue_delay_microseconds: 10000 }'

describe('the oldest strategy', () => {
  test('batches the oldest requests, one of each sequence, without fillers', async () => {
    const rig = new SequenceRig(4, 'oldest { max_candidate_sequences: 8 }')
    rig.steps('+x1 +a1 a2 +b1 b2 +c1')
    await rig.finishAll()
    expect(rig.shown).toEqual(['x1', 'a1 b1 c1', 'a2 b2'])
  })

  test('serves sequences in the order in which their next request is there', async () => {
    const rig = new SequenceRig(1, 'oldest { max_candidate_sequences: 8 }')
    rig.steps('+x1 +a1 a2 a3 +b1 +c1')
    await rig.finishAll()
    expect(rig.shown).toEqual(['x1', 'a1', 'b1', 'c1', 'a2', 'a3'])
  })

  test('has as many slots as max_candidate_sequences, or else as max_batch_size', async () => {
    const few = new SequenceRig(4, 'oldest { }')
    few.steps('+x1 +a1- +b1- +c1- +d1-')
    await few.finishAll()
    expect(few.shown).toEqual(['x1', 'a1 b1 c1', 'd1'])
    const many = new SequenceRig(4, 'oldest { max_candidate_sequences: 5 }')
    many.steps('+x1 +a1- +b1- +c1- +d1-')
    await many.finishAll()
    expect(many.shown).toEqual(['x1', 'a1 b1 c1 d1'])
    const negative = new SequenceRig(4, 'oldest { max_candidate_sequences: -1 }')
    negative.steps('+x1 +a1- +b1- +c1- +d1-')
    await negative.finishAll()
    expect(negative.shown).toEqual(few.shown)
  })

  test('waits for a preferred size as a dynamic batcher does', () => {
    const rig = new SequenceRig(4, waiting)
    rig.step('+a1')
    rig.clock.advance(4)
    expect(rig.batches).toEqual([])
    rig.step('+b1')
    expect(rig.batches).toMatchObject([{ ids: ['a1', 'b1'], at: 4, rule: 'preferred size' }])
  })

  test('a request behind another of its sequence begins to wait when that is released', async () => {
    const rig = new SequenceRig(4, waiting)
    rig.steps('+a1 +b1 a2')
    rig.clock.advance(20)
    await rig.finish()
    rig.clock.advance(9)
    expect(rig.batches).toHaveLength(1)
    rig.clock.advance(1)
    expect(rig.batches[1]).toMatchObject({ ids: ['a2'], at: 30, rule: 'delay over' })
  })

  test('READY is always true', () => {
    const rig = new SequenceRig(
      4,
      `${waiting} control_input { name: "R" control { kind: CONTROL_SEQUENCE_READY fp32_false_true: [0, 1] } }`,
    )
    rig.steps('+a1 +b1')
    expect(rig.batches[0]?.requests.map(({ inputs }) => inputs.get('R')?.data[0])).toEqual([1, 1])
  })

  test('a sequence has its next request only when the one before is released, which may be after its batch', async () => {
    const rig = new SequenceRig(2, 'oldest { max_candidate_sequences: 4 }')
    rig.steps('+a1 a2 +b1')
    const kept = rig.batches[0]?.requests[0]
    await rig.batches[0]?.finish((request) => request.keep())
    expect(rig.shown).toEqual(['a1', 'b1'])
    await rig.finish()
    expect(rig.shown).toEqual(['a1', 'b1'])
    kept?.respond({ outputs: {} })
    expect(rig.shown[2]).toBe('a2')
  })

  test('each instance has its own sequences', async () => {
    const rig = new SequenceRig(4, 'oldest { max_candidate_sequences: 4 }', { instances: 2 })
    rig.steps('+a1 +b1 +c1 +d1')
    await rig.finishAll()
    rig.steps('a2- b2- c2- d2-')
    await rig.finishAll()
    const instances = (name: string) =>
      new Set(rig.batches.filter(({ ids }) => ids.some((id) => id[0] === name)).map(({ instance }) => instance))
    expect(['a', 'b', 'c', 'd'].map((name) => [...instances(name)])).toEqual([['m_0'], ['m_1'], ['m_0'], ['m_1']])
  })

  test('END frees the slot when its request is answered', async () => {
    const rig = new SequenceRig(4, 'oldest { max_candidate_sequences: 1 }')
    rig.steps('+a1- +b1-')
    expect(rig.shown).toEqual(['a1'])
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'b1'])
  })

  test('with preserve_ordering callers hear in the order in which their requests could run', async () => {
    const rig = new SequenceRig(1, 'oldest { max_candidate_sequences: 4 preserve_ordering: true }')
    rig.steps('+a1 +b1 +c1')
    const kept = rig.batches[0]?.requests[0]
    await rig.batches[0]?.finish((request) => request.keep())
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'b1', 'c1'])
    expect(rig.heard).toEqual([])
    kept?.respond({ outputs: {} })
    expect(rig.heard).toEqual(['a1 ok', 'b1 ok', 'c1 ok'])
  })

  test('without it they hear as answers come, in order within a sequence', async () => {
    const rig = new SequenceRig(1, 'oldest { max_candidate_sequences: 4 }')
    rig.steps('+a1 a2 +b1')
    const kept = rig.batches[0]?.requests[0]
    await rig.batches[0]?.finish((request) => request.keep())
    await rig.finishAll()
    expect(rig.heard).toEqual(['b1 ok'])
    kept?.respond({ outputs: {} })
    await rig.finishAll()
    expect(rig.heard).toEqual(['b1 ok', 'a1 ok', 'a2 ok'])
  })
})

describe('a request that is cancelled', () => {
  test('while it waits for a batch ends its sequence', async () => {
    const rig = new SequenceRig(4, waiting)
    const cancelled = rig.step('+a1')
    rig.steps('a2 a3')
    cancelled.cancel()
    expect(rig.heard.map((line) => line.slice(0, 2))).toEqual(['a2', 'a3', 'a1'])
    expect(() => rig.step('a4')).toThrow('START')
    rig.clock.advance(10)
    expect(rig.batches).toEqual([])
    expect(rig.stats.pending).toBe(0)
    expect(rig.version.inflight).toBe(0)
    expect(rig.clock.timers).toBe(0)
  })

  test('while it runs does not, and the next one waits for the backend', async () => {
    const rig = new SequenceRig(4, 'oldest { max_candidate_sequences: 4 }')
    const running = rig.step('+a1')
    rig.step('a2-')
    running.cancel()
    expect(rig.shown).toEqual(['a1'])
    await rig.finishAll()
    expect(rig.heard).toEqual(['a1 the request was cancelled', 'a2 ok'])
  })
})
