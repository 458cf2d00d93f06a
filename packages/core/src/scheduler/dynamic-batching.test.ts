import { describe, expect, test } from 'vitest'
import { TritonError } from '../errors.ts'
import { statisticsSnapshot } from '../metrics/statistics-snapshot.ts'
import { Tensor, tensor } from '../request/tensor.ts'
import { silentLogger } from '../util/logger.ts'
import { BatchRig, type RigOptions } from './fixtures/batch-rig.ts'

/** Preferred sizes 2 and 6 of at most 8, waiting at most 10 ms: the batcher of Triton's own L0_batcher. */
const preferred =
  'max_batch_size: 8 dynamic_batching { preferred_batch_size: [2, 6] max_queue_delay_microseconds: 10000 }'
const noDelay = 'max_batch_size: 8 dynamic_batching { preferred_batch_size: [4, 6] }'
const variable = { inputs: 'input { name: "IN" data_type: TYPE_FP32 dims: -1 }' }

/** A rig whose only instance is busy with `busy`, so that what is sent gathers. */
function busyRig(scheduling: string, options: RigOptions = {}): BatchRig {
  const rig = new BatchRig(scheduling, options)
  rig.send('busy', { batch: 8 })
  expect(rig.ids).toEqual([['busy']])
  return rig
}

describe('static batches', () => {
  test('of a preferred size go at once', () => {
    const rig = new BatchRig(preferred, { instances: 2 })
    rig.send('a', { batch: 2 })
    rig.send('b', { batch: 6 })
    expect(rig.ids).toEqual([['a'], ['b']])
    expect(rig.clock.timers).toBe(0)
  })

  test.each([1, 3])('of size %d, which is not preferred, wait for the delay', (batch) => {
    const rig = new BatchRig(preferred)
    rig.send('a', { batch })
    rig.clock.advance(9.999)
    expect(rig.ids).toEqual([])
    rig.clock.advance(0.001)
    expect(rig.batches).toMatchObject([{ ids: ['a'], at: 10 }])
    expect(rig.clock.timers).toBe(0)
  })

  test('larger than every preferred size go at once', () => {
    const rig = new BatchRig(preferred)
    rig.send('a', { batch: 7 })
    expect(rig.ids).toEqual([['a']])
  })
})

describe('several requests', () => {
  test('are joined when they reach a preferred size, whatever the size of each', () => {
    const rig = new BatchRig(
      'max_batch_size: 8 dynamic_batching { preferred_batch_size: 6 max_queue_delay_microseconds: 10000 }',
    )
    rig.send('a', { batch: 3 })
    rig.send('b', { batch: 1 })
    rig.send('c', { batch: 2 })
    expect(rig.batches).toMatchObject([{ ids: ['a', 'b', 'c'], size: 6, at: 0 }])
  })

  test('between preferred sizes wait for the delay of the first', () => {
    const rig = new BatchRig(preferred)
    rig.send('a', { batch: 1 })
    rig.clock.advance(4)
    rig.send('b', { batch: 3 })
    rig.clock.advance(6)
    expect(rig.batches).toMatchObject([{ ids: ['a', 'b'], size: 4, at: 10 }])
  })

  test('of different shapes are not joined: the first goes at once, the second waits', async () => {
    const rig = new BatchRig(preferred, { ...variable, instances: 2 })
    rig.send('a', { width: 16 })
    rig.clock.advance(1)
    rig.send('b', { width: 8 })
    expect(rig.batches).toMatchObject([{ ids: ['a'], at: 1 }])
    rig.clock.advance(10)
    expect(rig.batches[1]).toMatchObject({ ids: ['b'], at: 11 })
  })

  test('of different shapes are joined where the input may be ragged', () => {
    const rig = new BatchRig(preferred)
    rig.send('a', { width: 16 })
    rig.send('b', { width: 8 })
    expect(rig.ids).toEqual([['a', 'b']])
  })

  test('a request of another shape sends what waits, and starts a batch with its own like', () => {
    const rig = new BatchRig(preferred, { ...variable, instances: 2 })
    rig.send('a', { batch: 1, width: 16 })
    rig.send('b', { batch: 3, width: 16 })
    rig.send('c', { batch: 1, width: 8 })
    expect(rig.ids).toEqual([['a', 'b']])
    rig.send('d', { batch: 5, width: 8 })
    expect(rig.batches).toMatchObject([{ ids: ['a', 'b'] }, { ids: ['c', 'd'], size: 6, at: 0 }])
  })

  test('a request that would exceed the largest preferred size sends what came before', () => {
    const rig = new BatchRig(preferred, { instances: 2 })
    rig.send('a', { batch: 3 })
    rig.send('b', { batch: 7 })
    expect(rig.ids).toEqual([['a'], ['b']])
  })

  test('what is left over after that waits for its own delay', () => {
    const rig = new BatchRig(preferred, { instances: 2 })
    rig.send('a', { batch: 3 })
    rig.clock.advance(5)
    rig.send('b', { batch: 4 })
    expect(rig.batches).toMatchObject([{ ids: ['a'], at: 5 }])
    rig.clock.advance(10)
    expect(rig.batches[1]).toMatchObject({ ids: ['b'], at: 15 })
  })

  test('so it is when both were there first', async () => {
    const rig = busyRig(preferred)
    rig.send('a', { batch: 3 })
    rig.clock.advance(2)
    rig.send('b', { batch: 4 })
    await rig.finish()
    await rig.finish()
    expect(rig.ids).toEqual([['busy'], ['a']])
    rig.clock.advance(10)
    expect(rig.batches[2]).toMatchObject({ ids: ['b'], at: 12 })
  })

  test('what waited longer than the delay goes with all that fits, not only with a preferred size', async () => {
    const rig = busyRig(preferred)
    rig.send('a', { batch: 3 })
    rig.send('b', { batch: 4 })
    rig.clock.advance(11)
    rig.send('c', { batch: 1 })
    await rig.finish()
    expect(rig.batches[1]).toMatchObject({ ids: ['a', 'b', 'c'], size: 8 })
  })

  test('the largest preferred size is used', async () => {
    const rig = busyRig(preferred)
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) rig.send(id)
    await rig.finish()
    expect(rig.ids[1]).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    await rig.finish()
    expect(rig.ids).toHaveLength(2)
    rig.clock.advance(10)
    expect(rig.ids[2]).toEqual(['g'])
  })

  test('a preferred size is used although more waits', async () => {
    const rig = busyRig(preferred)
    rig.send('a')
    rig.send('b')
    rig.send('c')
    await rig.finish()
    expect(rig.ids[1]).toEqual(['a', 'b'])
  })

  test('without a delay the largest preferred size is used, else all that waits', async () => {
    const rig = busyRig(noDelay)
    for (const id of ['a', 'b', 'c', 'd', 'e']) rig.send(id)
    await rig.finish()
    await rig.finish()
    expect(rig.ids.slice(1)).toEqual([['a', 'b', 'c', 'd'], ['e']])
    for (const id of ['f', 'g', 'h', 'i', 'j', 'k', 'l']) rig.send(id)
    await rig.finish()
    await rig.finish()
    expect(rig.ids.slice(3)).toEqual([['f', 'g', 'h', 'i', 'j', 'k'], ['l']])
    for (const id of ['m', 'n', 'o']) rig.send(id)
    await rig.finish()
    expect(rig.ids[5]).toEqual(['m', 'n', 'o'])
    expect(rig.clock.timers).toBe(0)
  })

  test('dynamic_batching {} sends at once, and while the instance is busy gathers up to the maximum', async () => {
    const rig = new BatchRig('max_batch_size: 4 dynamic_batching {}')
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) rig.send(id)
    await rig.finish()
    await rig.finish()
    expect(rig.ids).toEqual([['a'], ['b', 'c', 'd', 'e'], ['f']])
  })

  test('with a delay alone all that come within it run together, or as soon as the batch is full', () => {
    const rig = new BatchRig('max_batch_size: 12 dynamic_batching { max_queue_delay_microseconds: 20000 }', {
      instances: 2,
    })
    for (let i = 0; i < 12; i++) {
      rig.clock.advance(1)
      rig.send(String(i))
    }
    expect(rig.batches).toMatchObject([{ size: 12, at: 12 }])
    rig.send('a')
    rig.clock.advance(19)
    rig.send('b')
    rig.clock.advance(1)
    expect(rig.batches[1]).toMatchObject({ ids: ['a', 'b'], at: 32 })
  })

  test('a request is never split, and never pushed ahead', async () => {
    const rig = busyRig('max_batch_size: 8 dynamic_batching {}')
    rig.send('a', { batch: 5 })
    rig.send('b', { batch: 4 })
    rig.send('c', { batch: 3 })
    await rig.finish()
    await rig.finish()
    expect(rig.ids.slice(1)).toEqual([['a'], ['b', 'c']])
  })

  test('a request without items counts as one', () => {
    const rig = new BatchRig('max_batch_size: 2 dynamic_batching { max_queue_delay_microseconds: 10000 }')
    // Triton takes the item's size for such a request.
    rig.send('a', { inputs: [{ name: 'IN', tensor: Tensor.fromBytes('FP32', [0, 1], new Uint8Array(4)) }] })
    rig.send('b')
    expect(rig.batches).toMatchObject([{ ids: ['a', 'b'], size: 2 }])
  })

  test('a model without batch dimension runs each request alone', async () => {
    const rig = new BatchRig('max_batch_size: 0 dynamic_batching { max_queue_delay_microseconds: 10000 }', {
      inputs: 'input { name: "IN" data_type: TYPE_FP32 dims: [ -1, -1 ] }',
    })
    rig.send('a')
    rig.send('b')
    await rig.finish()
    expect(rig.ids).toEqual([['a'], ['b']])
  })

  test('every idle instance takes a batch', () => {
    const rig = new BatchRig('max_batch_size: 4 dynamic_batching {}', { instances: 3 })
    for (const id of ['a', 'b', 'c', 'd']) rig.send(id)
    expect(rig.batches.map(({ ids, instance }) => [...ids, instance])).toEqual([
      ['a', 'm_0'],
      ['b', 'm_1'],
      ['c', 'm_2'],
    ])
  })

  test.each([
    [['OUT'], ['OUT']],
    [['OUT'], ['OUT2']],
    [
      ['OUT', 'OUT2'],
      ['OUT2', 'OUT'],
    ],
  ])('requested outputs do not matter: %j and %j', (first, second) => {
    const rig = new BatchRig(`${preferred} output { name: "OUT2" data_type: TYPE_FP32 dims: -1 }`)
    rig.send('a', { outputs: first })
    rig.send('b', { outputs: second })
    expect(rig.ids).toEqual([['a', 'b']])
    expect(rig.batches[0]?.requests.map(({ requestedOutputs }) => requestedOutputs)).toEqual([first, second])
  })
})

describe('inputs that must agree', () => {
  const delay = 'max_batch_size: 8 dynamic_batching { preferred_batch_size: 2 max_queue_delay_microseconds: 10000 }'
  const floats = (name: string, width = 1) => ({ name, tensor: tensor('FP32', [1, width], new Float32Array(width)) })

  test('requests with the same set of inputs are joined where some are optional', () => {
    const rig = new BatchRig(delay, {
      instances: 3,
      inputs: `input { name: "A" data_type: TYPE_FP32 dims: 1 } input { name: "B" data_type: TYPE_FP32 dims: 1 optional: true }
        input { name: "C" data_type: TYPE_FP32 dims: 1 optional: true }`,
    })
    rig.send('a', { inputs: [floats('A'), floats('B')] })
    rig.send('b', { inputs: [floats('B'), floats('A')] })
    rig.send('c', { inputs: [floats('A'), floats('C')] })
    rig.send('d', { inputs: [floats('A'), floats('B')] })
    rig.clock.advance(10)
    expect(rig.ids).toEqual([['a', 'b'], ['c'], ['d']])
    expect(rig.batches.map(({ rule }) => rule)).toEqual(['preferred size', 'shape change', 'delay over'])
  })

  test.each([
    [['A'], ['B']],
    [['A'], ['A', 'B']],
  ])('inputs %j and %j in turn: each sends the one before, the last waits', (some, others) => {
    const optional = (name: string) => `input { name: "${name}" data_type: TYPE_FP32 dims: 1 optional: true }`
    const rig = new BatchRig('max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 10000 }', {
      instances: 4,
      inputs: `${optional('A')} ${optional('B')}`,
    })
    for (const [i, names] of [some, others, some, others].entries()) {
      rig.send(String(i), { inputs: names.map((name) => floats(name)) })
      rig.clock.advance(1)
    }
    rig.clock.advance(9)
    expect(rig.batches.map(({ ids, at, rule }) => [...ids, at, rule])).toEqual([
      ['0', 1, 'shape change'],
      ['1', 2, 'shape change'],
      ['2', 3, 'shape change'],
      ['3', 13, 'delay over'],
    ])
  })

  test('shape tensors must have the same content, zeros in it included', () => {
    const rig = new BatchRig(delay, {
      instances: 3,
      inputs: `input { name: "A" data_type: TYPE_FP32 dims: 1 }
        input { name: "S" data_type: TYPE_INT32 dims: 2 is_shape_tensor: true }`,
    })
    const shape = (...values: number[]) => ({
      inputs: [floats('A'), { name: 'S', tensor: tensor('INT32', [1, 2], Int32Array.from(values)) }],
    })
    rig.send('a', shape(0, 5))
    rig.send('b', shape(0, 5))
    rig.send('c', shape(0, 5))
    rig.send('d', shape(0, 6))
    rig.clock.advance(10)
    expect(rig.ids).toEqual([['a', 'b'], ['c'], ['d']])
  })

  test('of several inputs only those of varying shape are compared', () => {
    const rig = new BatchRig(delay, {
      inputs: `input { name: "A" data_type: TYPE_FP32 dims: -1 }
        input { name: "R" data_type: TYPE_FP32 dims: -1 allow_ragged_batch: true }`,
    })
    rig.send('a', { inputs: [floats('A', 3), floats('R', 1)] })
    rig.send('b', { inputs: [floats('A', 3), floats('R', 2)] })
    expect(rig.ids).toEqual([['a', 'b']])
  })
})

describe('custom batching', () => {
  const scheduling = 'max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 10000 }'

  test('a backend may keep a request out of a batch', async () => {
    const asked: [string[], string][] = []
    const rig = new BatchRig(scheduling, {
      instances: 2,
      includeRequest: (batch, request) => {
        asked.push([batch.map(({ id }) => id), request.id])
        return batch.length < 2
      },
    })
    for (const id of ['a', 'b', 'c']) rig.send(id)
    expect(rig.ids).toEqual([['a', 'b']])
    expect(asked.at(-1)).toEqual([['a', 'b'], 'c'])
    rig.clock.advance(10)
    expect(rig.ids[1]).toEqual(['c'])
  })

  test('an error of the backend closes the batch and is logged', () => {
    const errors: string[] = []
    const rig = new BatchRig(scheduling, {
      includeRequest: () => {
        throw new Error('no')
      },
      logger: { ...silentLogger, error: (_: object, text: string) => errors.push(text) },
    })
    rig.send('a')
    rig.send('b')
    expect(rig.ids).toEqual([['a']])
    expect(errors).toEqual(['Custom batching include function failed for model m'])
  })

  test('is asked only about requests that fit otherwise', () => {
    const asked: string[] = []
    const rig = new BatchRig(scheduling, {
      ...variable,
      instances: 2,
      includeRequest: (_, { id }) => asked.push(id) > 0,
    })
    rig.send('a', { batch: 4 })
    rig.send('b', { batch: 5 })
    rig.send('c', { batch: 1, width: 2 })
    expect(rig.ids).toEqual([['a'], ['b']])
    expect(asked).toEqual([])
  })
})

describe('without a scheduling choice', () => {
  test('each request runs alone, in order of arrival, on any idle instance', async () => {
    const rig = new BatchRig('max_batch_size: 8', { instances: 2 })
    for (const id of ['a', 'b', 'c', 'd']) rig.send(id, { batch: 2 })
    expect(rig.ids).toEqual([['a'], ['b']])
    await rig.batches[1]?.finish()
    await rig.finish()
    expect(rig.batches.map(({ ids, instance }) => [...ids, instance])).toEqual([
      ['a', 'm_0'],
      ['b', 'm_1'],
      ['c', 'm_1'],
      ['d', 'm_0'],
    ])
  })

  test('a request that is cancelled while it waits does not run', async () => {
    const rig = new BatchRig('max_batch_size: 8')
    rig.send('a')
    const cancelled = rig.send('b')
    rig.send('c')
    cancelled.cancel()
    expect(rig.heard).toEqual(['b the request was cancelled'])
    expect(rig.stats.pending).toBe(1)
    for (let i = 0; i < 2; i++) await rig.finish()
    expect(rig.ids).toEqual([['a'], ['c']])
  })

  test('priorities and timeouts of requests do nothing', async () => {
    const rig = new BatchRig('max_batch_size: 8')
    rig.send('a')
    rig.send('b', { timeoutMicroseconds: 1 })
    rig.send('c', { priority: 1 })
    expect(rig.clock.timers).toBe(0)
    rig.clock.advance(1000)
    for (let i = 0; i < 3; i++) await rig.finish()
    expect(rig.heard).toEqual(['a ok', 'b ok', 'c ok'])
  })
})

describe('statistics', () => {
  test('count requests and batches apart', async () => {
    const rig = new BatchRig(
      'max_batch_size: 8 dynamic_batching { preferred_batch_size: 6 max_queue_delay_microseconds: 10000 }',
    )
    rig.send('a', { batch: 2 })
    rig.clock.advance(1)
    rig.send('b', { batch: 1 })
    rig.send('c', { batch: 3 })
    rig.clock.advance(2)
    await rig.finish()
    const shown = statisticsSnapshot(rig.stats, 'm', 1)
    expect(shown).toMatchObject({ inferenceCount: 6, executionCount: 1 })
    expect(shown.inferenceStats).toMatchObject({
      success: { count: 3, ns: 7e6 },
      queue: { count: 3, ns: 1e6 },
      computeInput: { count: 3, ns: 6e6 },
    })
    expect(shown.batchStats).toMatchObject([{ batchSize: 6, computeInput: { count: 1, ns: 2e6 } }])
  })

  test('of a batch in which a request was given up count the batch as it ran', async () => {
    const rig = new BatchRig(
      'max_batch_size: 8 dynamic_batching { preferred_batch_size: 3 max_queue_delay_microseconds: 10000 }',
    )
    const first = rig.send('a')
    rig.send('b', { batch: 2 })
    first.cancel()
    await rig.finish()
    const shown = statisticsSnapshot(rig.stats, 'm', 1)
    expect(shown).toMatchObject({ inferenceCount: 2, executionCount: 1 })
    expect(shown.inferenceStats).toMatchObject({ success: { count: 1 }, fail: { count: 1 } })
    expect(shown.batchStats).toMatchObject([{ batchSize: 3 }])
  })

  test('a batch that fails fails each of its requests', async () => {
    const rig = new BatchRig('max_batch_size: 2 dynamic_batching { max_queue_delay_microseconds: 10000 }')
    rig.send('a')
    rig.send('b')
    await rig.batches[0]?.fail(new Error('lost'))
    expect(rig.heard).toEqual(['a lost', 'b lost'])
    expect(rig.stats.failures.BACKEND).toBe(2)
    expect(rig.stats.executionCount).toBe(0)
  })
})

describe('shutdown', () => {
  test('what waits is refused when the time for the end is over, and no timer stays', async () => {
    const rig = new BatchRig(preferred)
    rig.send('a')
    expect(rig.stats.pending).toBe(1)
    rig.version.abandonAll(new TritonError('UNAVAILABLE', 'over'))
    expect(rig.heard).toEqual(['a over'])
    expect(rig.stats.pending).toBe(0)
    expect(rig.clock.timers).toBe(0)
    await rig.version.dispose()
  })
})
