import { describe, expect, test } from 'vitest'
import { tensor } from '../../request/tensor.ts'
import { SequenceRig } from './fixtures/sequence-rig.ts'

const startText = (id: string) =>
  `inference request for sequence ${id} to model 'm' must specify the START flag on the first request of the sequence`

describe('the request of a sequence', () => {
  test.each([undefined, 0, 0n, ''])('needs a correlation id, and %o is none', (correlationId) => {
    const rig = new SequenceRig(4)
    expect(() => rig.send('a', { correlationId, sequenceStart: true })).toThrow(
      "inference request to model 'm' must specify a non-zero or non-empty correlation ID",
    )
  })

  test('has at most one item', () => {
    const rig = new SequenceRig(4)
    expect(() => rig.step('+a1', { batch: 2 })).toThrow(
      "inference request to model 'm' must specify batch-size 1 due to requirements of sequence batcher",
    )
    expect(() => rig.step('a1')).toThrow(startText('a'))
  })

  test.each([
    [7, '7'],
    [18446744073709551615n, '18446744073709551615'],
    ['seven', 'seven'],
  ])('needs START if it is the first, %o', (correlationId, text) => {
    const rig = new SequenceRig(4)
    expect(() => rig.send('a', { correlationId })).toThrow(startText(text))
    expect(() => rig.send('a', { correlationId, sequenceEnd: true })).toThrow(startText(text))
    rig.send('b', { correlationId, sequenceStart: true })
    rig.send('c', { correlationId })
  })

  test('is not counted when it is refused', () => {
    const rig = new SequenceRig(4)
    expect(() => rig.step('a1')).toThrow()
    expect(rig.stats.failed).toBe(0)
    expect(rig.stats.pending).toBe(0)
    expect(rig.version.inflight).toBe(0)
  })

  test('belongs to another sequence when its id is the same text as a number', async () => {
    const rig = new SequenceRig(4)
    rig.send('n1', { correlationId: 71, sequenceStart: true })
    rig.send('s1', { correlationId: '71', sequenceStart: true })
    await rig.finishAll()
    expect(rig.shown).toEqual(['n1', '_ s1'])
  })

  test('that fails the checks leaves its sequence alone', async () => {
    const rig = new SequenceRig(4)
    rig.step('+a1')
    expect(() =>
      rig.step('a2', { inputs: [{ name: 'NO', tensor: tensor('FP32', [1, 1], Float32Array.of(0)) }] }),
    ).toThrow()
    rig.step('a3-')
    await rig.finishAll()
    expect(rig.heard).toEqual(['a1 ok', 'a3 ok'])
  })

  test('that fails in the backend leaves its sequence alone', async () => {
    const rig = new SequenceRig(4)
    rig.steps('+a1 a2')
    await rig.batches[0]?.fail(new Error('lost'))
    await rig.finish()
    expect(rig.heard).toEqual(['a1 lost', 'a2 ok'])
  })
})

describe.each(['', 'oldest { max_candidate_sequences: 4 }'])('START on a live sequence, %j', (batching) => {
  test('warns, and the new sequence goes on in the place of the old', async () => {
    const warnings: string[] = []
    const logger = { ...console, warn: (_: object, text: string) => warnings.push(text) }
    const rig = new SequenceRig(4, batching, { logger })
    rig.steps('+a1 a2 +a3 a4')
    expect(warnings).toEqual([
      "sequence a for model 'm' has a conflict. The previous sequence did not end before this sequence start. " +
        'Previous sequence will be terminated early.',
    ])
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'a2', 'a3', 'a4'])
    expect(rig.heard).toEqual(['a1 ok', 'a2 ok', 'a3 ok', 'a4 ok'])
  })

  test('resets the implicit state', async () => {
    const rig = new SequenceRig(
      4,
      `${batching} state { input_name: "S" output_name: "S_OUT" data_type: TYPE_INT32 dims: 1 }`,
    )
    rig.steps('+a1 a2 +a3')
    const seen: unknown[] = []
    while (rig.running.size > 0) {
      await [...rig.running][0]?.finish((request) => {
        seen.push(request.inputs.get('S')?.data[0])
        request.updateState('S_OUT', tensor('INT32', [1, 1], Int32Array.of(seen.length)))
        request.respond({ outputs: {} })
      })
    }
    expect(seen).toEqual([0, 1, 0])
  })

  test('in the backlog is collected there', async () => {
    const rig = new SequenceRig(1, batching === '' ? '' : 'oldest { max_candidate_sequences: 1 }')
    rig.steps('+a1 +b1 b2 +b3 a2- b4-')
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'a2', 'b1', 'b2', 'b3', 'b4'])
  })
})

describe('END', () => {
  test('lets the id begin another sequence at once', async () => {
    const rig = new SequenceRig(4)
    rig.steps('+x1- +a1 a2-')
    expect(() => rig.step('a3')).toThrow(startText('a'))
    rig.steps('+a3-')
    await rig.finishAll()
    expect(rig.shown).toEqual(['x1', 'a1 a3', 'a2'])
  })

  test('of a whole sequence in the backlog lets the id begin another one there', async () => {
    const rig = new SequenceRig(1)
    rig.steps('+x1 +a1 a2- +a3 x2-')
    await rig.finishAll()
    expect(rig.shown).toEqual(['x1', 'x2', 'a1', 'a2', 'a3'])
  })

  test('leaves no timer behind', async () => {
    const rig = new SequenceRig(4)
    rig.steps('+a1 +b1-')
    expect(rig.clock.timers).toBe(1)
    rig.step('a2-')
    expect(rig.clock.timers).toBe(0)
    await rig.finishAll()
    expect(rig.version.inflight).toBe(0)
  })
})

describe('a sequence without END', () => {
  test('is ended when no request came for max_sequence_idle_microseconds, 1 s by default', async () => {
    const rig = new SequenceRig(1)
    rig.steps('+a1 +b1')
    await rig.finish()
    rig.clock.advance(999)
    expect(rig.shown).toEqual(['a1'])
    rig.clock.advance(1)
    expect(rig.batches[1]).toMatchObject({ ids: ['b1'], at: 1000 })
    expect(() => rig.step('a2')).toThrow(startText('a'))
    expect(rig.heard).toEqual(['a1 ok'])
  })

  test('lives on with every request', async () => {
    const rig = new SequenceRig(2, 'max_sequence_idle_microseconds: 5000')
    rig.steps('+a1 +b1')
    await rig.finishAll()
    for (let i = 2; i < 6; i++) {
      rig.clock.advance(4)
      rig.step(`a${i}`)
      await rig.finish()
    }
    expect(() => rig.step('b2')).toThrow(startText('b'))
    rig.clock.advance(4.999)
    rig.step('a9')
    await rig.finish()
    rig.clock.advance(5)
    expect(() => rig.step('a10')).toThrow(startText('a'))
    expect(rig.clock.timers).toBe(0)
  })

  test('that is ended while requests wait has them run, and then frees its slot', async () => {
    const rig = new SequenceRig(1, 'max_sequence_idle_microseconds: 5000')
    rig.steps('+a1 a2 +b1')
    rig.clock.advance(5)
    expect(() => rig.step('a3')).toThrow(startText('a'))
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'a2', 'b1'])
  })

  test('is not ended in the backlog: its idle time begins with its slot', async () => {
    const rig = new SequenceRig(1, 'max_sequence_idle_microseconds: 5000')
    rig.steps('+a1 +b1')
    for (let i = 2; i < 5; i++) {
      rig.clock.advance(4)
      rig.step(`a${i}`)
      await rig.finish()
    }
    rig.step('a5-')
    await rig.finishAll()
    rig.clock.advance(4.999)
    rig.step('b2')
    await rig.finishAll()
    expect(rig.shown.slice(-2)).toEqual(['b1', 'b2'])
  })
})

describe('a cancelled request', () => {
  test('is told so at once, and ends its sequence with all that wait behind it', async () => {
    const rig = new SequenceRig(4)
    rig.step('+a1')
    rig.step('a2')
    const cancelled = rig.step('a3')
    rig.step('a4')
    cancelled.cancel()
    expect(rig.heard).toEqual([
      'a4 the request was cancelled with another one of its sequence',
      'a3 the request was cancelled',
    ])
    expect(() => rig.step('a5')).toThrow(startText('a'))
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'a2'])
    expect(rig.stats.failures.CANCELED).toBe(2)
    expect(rig.stats.pending).toBe(0)
    expect(rig.clock.timers).toBe(0)
  })

  test('frees the slot for the backlog', async () => {
    const rig = new SequenceRig(1)
    rig.step('+a1')
    const cancelled = rig.step('a2')
    rig.step('+b1')
    cancelled.cancel()
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'b1'])
  })

  test('of a sequence in the backlog cancels all of it', async () => {
    const rig = new SequenceRig(1)
    rig.steps('+a1 +b1')
    const cancelled = rig.step('b2')
    rig.steps('b3 +c1')
    cancelled.cancel()
    expect(rig.heard.map((line) => line.slice(0, 2))).toEqual(['b1', 'b3', 'b2'])
    rig.step('a2-')
    await rig.finishAll()
    expect(rig.shown).toEqual(['a1', 'a2', 'c1'])
  })

  test('that runs leaves its sequence alone', async () => {
    const rig = new SequenceRig(4)
    const running = rig.step('+a1')
    running.cancel()
    expect(rig.batches[0]?.requests[0]?.isCancelled).toBe(true)
    rig.step('a2-')
    await rig.finishAll()
    expect(rig.heard).toEqual(['a1 the request was cancelled', 'a2 ok'])
  })

  test('by one signal for all requests of a sequence cancels each once', () => {
    const rig = new SequenceRig(4)
    const controller = new AbortController()
    const { signal } = controller
    rig.step('+x1')
    for (const text of ['+a1', 'a2', 'a3']) rig.step(text, { signal })
    controller.abort()
    expect(rig.heard.map((line) => line.slice(0, 2)).toSorted()).toEqual(['a1', 'a2', 'a3'])
    expect(rig.version.inflight).toBe(1)
  })
})
