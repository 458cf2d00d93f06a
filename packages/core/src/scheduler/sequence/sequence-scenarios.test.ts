import { describe, expect, test } from 'vitest'
import type { SendOptions } from '../fixtures/batch-rig.ts'
import { SequenceRig } from './fixtures/sequence-rig.ts'

/** The scenarios of Triton's L0_sequence_batcher: four slots on one instance, and all requests are there first. */
function busyRig(batching = '', inputs?: string): SequenceRig {
  const rig = new SequenceRig(4, batching, inputs === undefined ? {} : { inputs })
  rig.step('+gate-')
  return rig
}

/** Every request of a sequence, as `+a1 a2 a3-`. */
function whole(name: string, length: number, last = '-'): string {
  return Array.from({ length }, (_, i) => `${i === 0 ? '+' : ''}${name}${i + 1}${i === length - 1 ? last : ''}`).join(
    ' ',
  )
}

async function batchesOf(rig: SequenceRig, ...sequences: readonly string[]): Promise<string[]> {
  for (const texts of sequences) rig.steps(texts)
  await rig.finishAll()
  return rig.shown.slice(1)
}

describe('direct', () => {
  test('half batch: two sequences of the same length', async () => {
    const batches = await batchesOf(busyRig(), whole('a', 4), whole('b', 4))
    expect(batches).toEqual(['a1 b1', 'a2 b2', 'a3 b3', 'a4 b4'])
  })

  test('skip batch: shorter sequences leave their places to fillers', async () => {
    const batches = await batchesOf(busyRig(), whole('a', 2), whole('b', 4), whole('c', 2), whole('d', 4))
    expect(batches).toEqual(['a1 b1 c1 d1', 'a2 b2 c2 d2', '_ b3 _ d3', '_ b4 _ d4'])
  })

  test('full batch', async () => {
    const batches = await batchesOf(busyRig(), ...['a', 'b', 'c', 'd'].map((name) => whole(name, 3)))
    expect(batches).toEqual(['a1 b1 c1 d1', 'a2 b2 c2 d2', 'a3 b3 c3 d3'])
  })

  const variable = 'input { name: "IN" data_type: TYPE_FP32 dims: -1 }'
  const sendAll = (rig: SequenceRig, texts: string, options: SendOptions) => {
    for (const text of texts.split(' ')) rig.step(text, options)
  }

  test('ragged batch: a sequence of another shape runs in batches of its own', async () => {
    const rig = busyRig('', variable)
    sendAll(rig, whole('a', 2), { width: 1 })
    sendAll(rig, whole('b', 3), { width: 2 })
    sendAll(rig, whole('c', 2), { width: 1 })
    sendAll(rig, whole('d', 3), { width: 1 })
    await rig.finishAll()
    expect(rig.shown.slice(1)).toEqual([
      ...['a1 _ c1 d1', 'a2 _ c2 d2'],
      ...['_ b1 _ _', '_ b2 _ _', '_ b3 _ _', '_ _ _ d3'],
    ])
  })

  test('ragged batch allowed: it runs with the others', async () => {
    const rig = busyRig()
    sendAll(rig, whole('a', 2), { width: 1 })
    sendAll(rig, whole('b', 2), { width: 2 })
    await rig.finishAll()
    expect(rig.shown.slice(1)).toEqual(['a1 b1', 'a2 b2'])
  })

  test('backlog: a fifth sequence runs when the first four have ended', async () => {
    const batches = await batchesOf(busyRig(), ...['a', 'b', 'c', 'd'].map((name) => whole(name, 3)), whole('e', 1))
    expect(batches).toEqual(['a1 b1 c1 d1', 'a2 b2 c2 d2', 'a3 b3 c3 d3', 'e1'])
  })

  test('backlog fill: further sequences take the slots of shorter ones', async () => {
    const batches = await batchesOf(
      busyRig(),
      ...[whole('a', 2), whole('b', 3), whole('c', 2), whole('d', 3)],
      ...[whole('e', 1), whole('f', 1)],
    )
    expect(batches).toEqual(['a1 b1 c1 d1', 'a2 b2 c2 d2', 'e1 b3 f1 d3'])
  })

  test('backlog fill, no end: they go on in those slots', async () => {
    const rig = busyRig()
    rig.steps([whole('a', 2), whole('b', 3), whole('c', 2), whole('d', 3), '+e1', whole('f', 2)].join(' '))
    await rig.finishAll()
    rig.steps('e2 e3-')
    await rig.finishAll()
    expect(rig.shown.slice(1)).toEqual(['a1 b1 c1 d1', 'a2 b2 c2 d2', 'e1 b3 f1 d3', '_ _ f2', 'e2', 'e3'])
  })

  test('backlog, same correlation id: a sequence of an id that has ended takes any free slot', async () => {
    const batches = await batchesOf(
      busyRig(),
      ...[whole('a', 2), whole('b', 2), whole('c', 2), whole('d', 2)],
      ...['+a7 a8-', '+b9-'],
    )
    expect(batches).toEqual(['a1 b1 c1 d1', 'a2 b2 c2 d2', 'a7 b9', 'a8'])
  })

  test('backlog, same correlation id, no end: a sequence ends early and the next goes on in its slot', async () => {
    const batches = await batchesOf(
      busyRig(),
      ...['+a1 a2', whole('b', 4), whole('c', 4), whole('d', 4)],
      ...['+a7 a8-'],
    )
    expect(batches).toEqual(['a1 b1 c1 d1', 'a2 b2 c2 d2', 'a7 b3 c3 d3', 'a8 b4 c4 d4'])
  })

  test('backlog, sequence timeout: a sequence that was idle too long makes room, and is unknown then', async () => {
    const rig = busyRig()
    rig.steps('+a1 +b1 +c1 +d1 +e1 e2-')
    await rig.finishAll()
    rig.clock.advance(600)
    rig.steps('b2 c2 d2')
    await rig.finishAll()
    rig.clock.advance(400)
    await rig.finishAll()
    expect(() => rig.step('a2-')).toThrow('must specify the START flag')
    rig.steps('b3- c3- d3-')
    await rig.finishAll()
    expect(rig.shown.filter((batch) => batch.includes('e'))).toEqual(['gate', 'e1', 'e2'])
    expect(rig.heard).not.toContain('a2 ok')
  })
})

describe('queue delay of 3 s, two sequences of which one is shorter', () => {
  test.each([
    ['0: nothing waits', 0, 3000, 3000],
    ['0.5: the batch with a filler waits', 0.5, 3000, 6000],
    ['1: both wait', 1, 6000, 6000],
  ])('minimum utilization %s', async (_, utilization, first, second) => {
    const rig = busyRig(
      `direct { max_queue_delay_microseconds: 3000000 minimum_slot_utilization: ${utilization} }
        max_sequence_idle_microseconds: 10000000`,
    )
    rig.clock.advance(3000)
    rig.steps('+a1 +b1 b2')
    await rig.finishAll()
    rig.clock.advance(2999)
    await rig.finishAll()
    rig.clock.advance(1)
    await rig.finishAll()
    expect(rig.shown).toEqual(['gate', 'a1 b1', '_ b2'])
    expect(rig.batches.slice(1).map(({ at }) => at)).toEqual([first, second])
  })
})

describe('oldest', () => {
  const oldest = 'oldest { max_candidate_sequences: 4 }'

  test('skip batch: nothing fills the places of shorter sequences', async () => {
    const batches = await batchesOf(busyRig(oldest), whole('a', 2), whole('b', 4), whole('c', 2), whole('d', 4))
    expect(batches).toEqual(['a1 b1 c1 d1', 'a2 b2 c2 d2', 'b3 d3', 'b4 d4'])
  })

  test('backlog fill: further sequences run when others have ended', async () => {
    const rig = busyRig(oldest)
    rig.steps([whole('a', 2), whole('b', 1), whole('c', 2), whole('d', 1), whole('e', 2), whole('f', 1)].join(' '))
    await rig.finishAll()
    expect(rig.shown.slice(1)).toEqual(['a1 b1 c1 d1', 'a2 e1 c2 f1', 'e2'])
  })
})
