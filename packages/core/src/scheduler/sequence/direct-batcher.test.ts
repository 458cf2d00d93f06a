import { describe, expect, test } from 'vitest'
import { SequenceRig } from './fixtures/sequence-rig.ts'

describe('a direct batch', () => {
  test('is built when the one before has been released, and has the next request of every slot', async () => {
    const rig = new SequenceRig(4)
    rig.steps('+a1 +b1 +c1 a2 b2 c2 a3')
    expect(rig.shown).toEqual(['a1'])
    await rig.finish()
    expect(rig.shown[1]).toBe('a2 b1 c1')
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'a2 b1 c1', 'a3 b2 c2'])
  })

  test('reaches up to the highest slot with a request, and fills the places below that have none', async () => {
    const rig = new SequenceRig(4)
    rig.steps('+a1 +b1 +c1 +d1')
    await rig.finishAll()
    rig.step('c2')
    await rig.finishAll()
    rig.steps('d2 b2 a2')
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', '_ b1 c1 d1', '_ _ c2', '_ _ _ d2', 'a2 b2'])
  })

  test('gives fillers READY false, the shapes of a real request and no place in the statistics', async () => {
    const rig = new SequenceRig(
      4,
      'control_input { name: "R" control { kind: CONTROL_SEQUENCE_READY int32_false_true: [0, 1] } }',
    )
    rig.steps('+a1 +b1')
    await rig.finishAll()
    rig.step('b2', { width: 3 })
    const [filler, real] = rig.batches[2]?.requests ?? []
    expect(filler?.inputs.get('R')?.data).toEqual(Int32Array.of(0))
    expect(real?.inputs.get('R')?.data).toEqual(Int32Array.of(1))
    expect(filler?.inputs.get('IN')?.shape).toEqual([1, 3])
    await rig.finishAll()
    expect(rig.heard).toEqual(['a1 ok', 'b1 ok', 'b2 ok'])
    expect(rig.stats.inferenceCount).toBe(3)
    expect(rig.stats.executionCount).toBe(3)
  })

  test('keeps the place of a sequence while others come and go', async () => {
    const rig = new SequenceRig(2)
    rig.steps('+a1 +b1')
    await rig.finishAll()
    rig.steps('a2- +c1')
    await rig.finishAll()
    rig.steps('b2 c2-')
    await rig.finishAll()
    rig.steps('+d1 b3')
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', '_ b1', 'a2', 'c1', '_ b2', 'c2', 'd1', '_ b3'])
  })

  test('of a model without batching has one request', async () => {
    const rig = new SequenceRig(0, '', { inputs: 'input { name: "IN" data_type: TYPE_FP32 dims: [-1, -1] }' })
    rig.steps('+a1 +b1 a2-')
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'a2', 'b1'])
  })

  test('fills the place of a request whose shape differs from the first; it runs in a later batch', async () => {
    const rig = new SequenceRig(4, '', { inputs: 'input { name: "IN" data_type: TYPE_FP32 dims: -1 }' })
    rig.step('+x1-')
    rig.step('+a1', { width: 2 })
    rig.step('+b1', { width: 3 })
    rig.step('+c1', { width: 2 })
    await rig.finishAll()
    expect(rig.shown).toEqual(['x1', 'a1 _ c1', '_ b1'])
    expect(rig.batches[1]?.requests.map(({ inputs }) => inputs.get('IN')?.shape)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ])
  })

  test('joins requests of different shapes where the input may be ragged', async () => {
    const rig = new SequenceRig(4)
    rig.step('+a1')
    rig.step('+b1', { width: 3 })
    rig.step('a2', { width: 2 })
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'a2 b1'])
  })

  test('says by which rule it was sent', async () => {
    const rules: string[] = []
    const rig = new SequenceRig(2)
    const explained = async (text: string) => {
      rig.step(text)
      rules.push(rig.batches.at(-1)?.rule ?? '')
      await rig.finish()
    }
    await explained('+a1')
    await explained('+b1')
    rig.steps('a2 a3 b2')
    await rig.finish()
    rules.push(rig.batches.at(-1)?.rule ?? '')
    expect(rules).toEqual(['instance free', 'instance free', 'full'])
  })
})

describe('minimum_slot_utilization and max_queue_delay_microseconds', () => {
  const half = 'direct { minimum_slot_utilization: 0.5 max_queue_delay_microseconds: 10000 }'

  test('a batch waits until enough slots are ready', () => {
    const rig = new SequenceRig(4, half)
    rig.step('+a1')
    expect(rig.batches).toEqual([])
    rig.clock.advance(5)
    rig.step('+b1')
    expect(rig.batches).toMatchObject([{ ids: ['a1', 'b1'], at: 5, rule: 'slot utilization' }])
  })

  test('requests of one sequence count once', () => {
    const rig = new SequenceRig(4, half)
    rig.steps('+a1 a2 a3')
    expect(rig.batches).toEqual([])
    rig.step('+b1')
    expect(rig.shown).toEqual(['a1 b1'])
  })

  test('or until the oldest has waited long enough', async () => {
    const rig = new SequenceRig(4, half)
    rig.step('+a1')
    rig.clock.advance(9.999)
    expect(rig.batches).toEqual([])
    rig.clock.advance(0.001)
    expect(rig.batches).toMatchObject([{ ids: ['a1'], at: 10, rule: 'delay over' }])
    await rig.finish()
    rig.clock.advance(3)
    rig.step('a2')
    rig.clock.advance(10)
    expect(rig.batches[1]).toMatchObject({ ids: ['a2'], at: 23 })
  })

  test('what waited behind others of its sequence has waited as well', async () => {
    const rig = new SequenceRig(4, half)
    rig.steps('+a1 a2')
    rig.clock.advance(4)
    rig.step('+b1')
    rig.clock.advance(4)
    await rig.finish()
    expect(rig.batches).toHaveLength(1)
    rig.clock.advance(2)
    expect(rig.batches[1]).toMatchObject({ ids: ['a2'], at: 10 })
  })

  test('a request that runs again begins to wait anew', async () => {
    const rig = new SequenceRig(4, `${half} iterative_sequence: true`)
    rig.send('a')
    rig.clock.advance(14)
    await rig.batches[0]?.finish((request) => request.reschedule())
    rig.clock.advance(9)
    expect(rig.batches).toMatchObject([{ ids: ['a'], at: 10 }])
    rig.clock.advance(1)
    expect(rig.batches[1]).toMatchObject({ ids: ['a'], at: 24 })
  })

  test.each(['direct { minimum_slot_utilization: 0.5 }', 'direct { max_queue_delay_microseconds: 10000 }'])(
    'both must be set: %s waits for nothing',
    (batching) => {
      const rig = new SequenceRig(4, batching)
      rig.step('+a1')
      expect(rig.batches).toMatchObject([{ ids: ['a1'], rule: 'instance free' }])
    },
  )

  test('a cancelled request counts no longer', () => {
    const rig = new SequenceRig(4, half)
    const first = rig.step('+a1')
    first.cancel()
    rig.step('+b1')
    expect(rig.batches).toEqual([])
    rig.step('+c1')
    expect(rig.shown).toEqual(['b1 c1'])
  })
})

test.each(['', 'oldest { max_candidate_sequences: 2147483647 }'])(
  'slots cost nothing until they are used, %j',
  async (batching) => {
    const rig = new SequenceRig(2 ** 31 - 1, batching)
    rig.steps('+a1 +b1')
    await rig.finishAll()
    expect(rig.heard).toEqual(['a1 ok', 'b1 ok'])
  },
)

describe('the backlog of a direct batcher', () => {
  test('END frees the slot when its request is placed; the sequence that takes it is in the next batch', async () => {
    const rig = new SequenceRig(2)
    rig.steps('+a1 +b1 +c1 c2- b2 a2-')
    await rig.finish()
    expect(rig.shown.slice(1)).toEqual(['a2 b1'])
    await rig.finishAll()
    expect(rig.shown.slice(2)).toEqual(['c1 b2', 'c2'])
  })

  test('two instances fill up at the same pace, lowest slot number first', async () => {
    const rig = new SequenceRig(2, '', { instances: 2 })
    rig.steps('+a1 +b1 +c1 +d1 +e1')
    await rig.finishAll()
    expect(rig.shown).toEqual(['m_0: a1', 'm_1: b1', 'm_0: _ c1', 'm_1: _ d1'])
    rig.step('d2-')
    await rig.finishAll()
    expect(rig.shown.slice(4)).toEqual(['m_1: _ d2', 'm_1: _ e1'])
  })
})
