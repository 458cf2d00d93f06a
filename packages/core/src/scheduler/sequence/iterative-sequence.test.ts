import { describe, expect, test } from 'vitest'
import type { ExecutionRequest } from '../../backend/backend.ts'
import type { TritonError } from '../../errors.ts'
import { tensor } from '../../request/tensor.ts'
import { SequenceRig } from './fixtures/sequence-rig.ts'

const again = (request: ExecutionRequest): void => {
  if (request.id !== '') request.reschedule()
}

describe.each([
  '',
  'oldest { max_candidate_sequences: 4 }',
  'oldest { max_candidate_sequences: 4 preserve_ordering: true }',
])('an iterative sequence, %j', (batching) => {
  const iterative = `${batching} iterative_sequence: true`

  test('gets an id of its own, from 1, and START', () => {
    const rig = new SequenceRig(4, iterative)
    rig.send('a')
    expect(rig.batches[0]?.requests[0]).toMatchObject({ correlationId: 1n, sequenceStart: true, sequenceEnd: false })
    expect(() => rig.send('b', { correlationId: 1n })).not.toThrow()
  })

  test('does not get the id of a live sequence', async () => {
    const rig = new SequenceRig(4, iterative)
    rig.send('mine', { correlationId: 1, sequenceStart: true })
    rig.send('a')
    await rig.finish()
    expect(rig.batches[1]?.requests.at(-1)?.correlationId).toBe(2n)
  })

  test('runs its request again, without flags, until the backend releases it', async () => {
    const rig = new SequenceRig(2, iterative)
    rig.send('a')
    await rig.batches[0]?.finish(again)
    expect(rig.batches[1]?.requests[0]).toMatchObject({ id: 'a', correlationId: 1n, sequenceStart: false })
    await rig.batches[1]?.finish(again)
    await rig.batches[2]?.finish()
    expect(rig.shown).toEqual(['a', 'a', 'a'])
    expect(rig.heard).toEqual(['a ok'])
    expect(rig.stats.pending).toBe(0)
    expect(rig.version.inflight).toBe(0)
    expect(rig.clock.timers).toBe(0)
  })

  test('keeps its state from run to run', async () => {
    const rig = new SequenceRig(
      2,
      `${iterative} state { input_name: "S" output_name: "O" data_type: TYPE_FP32 dims: 1 }`,
    )
    const seen: unknown[] = []
    rig.send('a')
    for (let i = 0; i < 3; i++) {
      await rig.batches[i]?.finish((request) => {
        seen.push(request.inputs.get('S')?.data[0])
        request.updateState('O', tensor('FP32', [1, 1], Float32Array.of(i + 1)))
        request.reschedule()
      })
    }
    expect(seen).toEqual([0, 1, 2])
  })

  test('shares batches with others, new ones join as slots are free', async () => {
    const rig = new SequenceRig(2, iterative)
    rig.send('a')
    rig.send('b')
    rig.send('c')
    await rig.batches[0]?.finish(again)
    expect(rig.batches[1]?.ids).toHaveLength(2)
    await rig.batches[1]?.finish((request) =>
      request.id === 'a' ? request.respond({ outputs: {} }) : request.reschedule(),
    )
    await rig.finishAll()
    expect(rig.heard.toSorted()).toEqual(['a ok', 'b ok', 'c ok'])
  })

  test('is not idle as long as each run is short enough', async () => {
    const rig = new SequenceRig(2, iterative)
    rig.send('a')
    for (let i = 0; i < 5; i++) {
      rig.clock.advance(999)
      await rig.batches[i]?.finish(again)
    }
    await rig.finish()
    expect(rig.heard).toEqual(['a ok'])
  })

  test('whose run is longer than a sequence may be idle cannot run again', async () => {
    const rig = new SequenceRig(2, iterative)
    rig.send('a')
    rig.clock.advance(1000)
    await rig.batches[0]?.finish((request) => {
      try {
        request.reschedule()
      } catch (error) {
        request.fail(error as TritonError)
      }
    })
    expect(rig.heard).toEqual([
      "a inference request for sequence 1 to model 'm' must specify the START flag on the first request of the sequence",
    ])
    expect(rig.version.inflight).toBe(0)
    expect(rig.clock.timers).toBe(0)
  })

  test('ends when its caller cancels', async () => {
    const rig = new SequenceRig(1, iterative)
    const request = rig.send('a')
    rig.send('b')
    request.cancel()
    await rig.batches[0]?.finish(again)
    await rig.finishAll()
    expect(rig.shown).toEqual(['a', 'b'])
    expect(rig.heard).toEqual(['a the request was cancelled', 'b ok'])
  })

  test('of the caller ends with the first request that is not run again', async () => {
    const rig = new SequenceRig(2, iterative)
    rig.step('+a1')
    await rig.finish()
    expect(() => rig.step('a2')).toThrow('START')
  })

  test('runs again behind what its caller sent meanwhile', async () => {
    const rig = new SequenceRig(2, iterative)
    rig.steps('+a1 a2')
    await rig.batches[0]?.finish(again)
    await rig.batches[1]?.finish(again)
    expect(rig.shown).toEqual(['a1', 'a2', 'a1'])
  })

  test('in the backlog has its turn when another is over', async () => {
    const rig = new SequenceRig(1, iterative)
    for (const id of ['a', 'b', 'c', 'd']) rig.send(id)
    const runs = new Map<string, number>()
    while (rig.running.size > 0) {
      await [...rig.running][0]?.finish((request) => {
        const run = (runs.get(request.id) ?? 0) + 1
        runs.set(request.id, run)
        if (run === 2) request.respond({ outputs: {} })
        else request.reschedule()
      })
    }
    expect([...runs]).toEqual(['a', 'b', 'c', 'd'].map((id) => [id, 2]))
    expect(rig.heard.toSorted()).toEqual(['a ok', 'b ok', 'c ok', 'd ok'])
  })

  test('goes on when no new ones are accepted', async () => {
    const rig = new SequenceRig(2, iterative)
    rig.send('a')
    rig.version.stopAccepting()
    expect(() => rig.send('b')).toThrow('Server is stopping')
    await rig.batches[0]?.finish(again)
    await rig.finishAll()
    expect(rig.heard).toEqual(['a ok'])
    await rig.version.drained()
  })
})

test('a model that is not iterative cannot give a request back', async () => {
  const rig = new SequenceRig(2)
  rig.step('+a1')
  await rig.batches[0]?.finish((request) => {
    expect(() => request.reschedule()).toThrow('the model is not configured to handle such a flag')
    request.respond({ outputs: {} })
  })
  expect(rig.heard).toEqual(['a1 ok'])
})
