import { describe, expect, test } from 'vitest'
import { BatchRig } from './fixtures/batch-rig.ts'

const policy = (text: string, more = '') =>
  `max_batch_size: 8 dynamic_batching { ${more} default_queue_policy { ${text} } }`

/** A rig whose only instance is busy with `busy`, so that what is sent gathers. */
function busyRig(scheduling: string): BatchRig {
  const rig = new BatchRig(scheduling)
  rig.send('busy', { batch: 8 })
  return rig
}

describe('max_queue_size', () => {
  test('a full queue refuses at once, and nothing is counted', async () => {
    const rig = busyRig(policy('max_queue_size: 2'))
    rig.send('a')
    rig.send('b')
    expect(() => rig.send('c')).toThrow('[request id: c] Exceeds maximum queue size')
    expect(() => rig.send('')).toThrow('[request id: <id_unknown>] Exceeds maximum queue size')
    expect(rig.stats.failed).toBe(0)
    expect(rig.stats.pending).toBe(2)
    expect(rig.version.inflight).toBe(3)
    expect(rig.heard).toEqual([])
    await rig.finish()
    await rig.finish()
    expect(rig.heard).toEqual(['busy ok', 'a ok', 'b ok'])
  })

  test('the error is UNAVAILABLE', () => {
    const rig = busyRig(policy('max_queue_size: 1'))
    rig.send('a')
    expect(() => rig.send('b')).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }))
  })

  test('a refused request does not follow its signal any more', () => {
    const rig = busyRig(policy('max_queue_size: 1'))
    rig.send('a')
    const caller = new AbortController()
    expect(() => rig.send('b', { signal: caller.signal })).toThrow('Exceeds')
    caller.abort()
    expect(rig.heard).toEqual([])
    expect(rig.stats.failed).toBe(0)
  })

  test('a request that goes or is cancelled makes room', async () => {
    const rig = busyRig(policy('max_queue_size: 1'))
    rig.send('a').cancel()
    rig.send('b')
    await rig.finish()
    rig.send('c')
    expect(() => rig.send('d')).toThrow('Exceeds')
  })

  test('each level has its own', () => {
    const rig = busyRig(`max_batch_size: 8 dynamic_batching { priority_levels: 2 default_priority_level: 2
      default_queue_policy { max_queue_size: 2 } priority_queue_policy { key: 1 value { max_queue_size: 1 } } }`)
    rig.send('a', { priority: 1 })
    expect(() => rig.send('b', { priority: 1 })).toThrow('Exceeds')
    rig.send('c')
    rig.send('d')
    expect(() => rig.send('e')).toThrow('Exceeds')
  })

  test('delayed requests count', () => {
    const rig = busyRig(policy('max_queue_size: 1 timeout_action: DELAY default_timeout_microseconds: 1000'))
    rig.send('a')
    rig.clock.advance(5)
    expect(() => rig.send('b')).toThrow('Exceeds')
  })
})

describe('REJECT', () => {
  const reject = policy('default_timeout_microseconds: 5000')

  test('a request whose time is over is told so while all instances are busy', () => {
    const rig = busyRig(reject)
    rig.send('a')
    rig.clock.advance(5)
    expect(rig.heard).toEqual([])
    rig.clock.advance(0.001)
    expect(rig.heard).toEqual(['a Request timeout expired'])
    expect(rig.stats.failures.REJECTED).toBe(1)
    expect(rig.stats.pending).toBe(0)
    expect(rig.clock.timers).toBe(0)
  })

  test('the error is UNAVAILABLE', async () => {
    const rig = busyRig(reject)
    const errors: unknown[] = []
    const listener = { onResponse: () => {}, onEnd: () => {}, onError: (error: unknown) => errors.push(error) }
    rig.version.send({ rawInput: new Uint8Array(4), inputs: [] }, listener)
    rig.clock.advance(6)
    expect(errors).toMatchObject([{ code: 'UNAVAILABLE', message: 'Request timeout expired' }])
  })

  test('those that came later have their own time', async () => {
    const rig = busyRig(reject)
    rig.send('a')
    rig.clock.advance(3)
    rig.send('b')
    rig.clock.advance(3)
    expect(rig.heard).toEqual(['a Request timeout expired'])
    await rig.finish()
    expect(rig.ids[1]).toEqual(['b'])
    rig.clock.advance(100)
    expect(rig.heard).toEqual(['a Request timeout expired', 'busy ok'])
  })

  test('a batch that waits for its delay goes without the one whose time is over', () => {
    const rig = new BatchRig(
      policy('default_timeout_microseconds: 5000', 'preferred_batch_size: 4 max_queue_delay_microseconds: 50000'),
    )
    rig.send('a')
    rig.clock.advance(6)
    expect(rig.heard).toEqual(['a Request timeout expired'])
    rig.send('b', { batch: 2 })
    rig.send('c', { batch: 2 })
    expect(rig.ids).toEqual([['b', 'c']])
  })
})

describe('timeouts of requests', () => {
  const timeouts = async (text: string, timeoutMicroseconds: number) => {
    const rig = busyRig(policy(text))
    rig.send('a', { timeoutMicroseconds })
    for (let now = 0; now < 50 && rig.heard.length === 0; now++) rig.clock.advance(1)
    return rig.heard.length === 0 ? 'none' : Math.floor(rig.clock.now())
  }

  test.each([
    ['default_timeout_microseconds: 10500', 1000, 11],
    ['default_timeout_microseconds: 10500 allow_timeout_override: true', 1500, 2],
    ['default_timeout_microseconds: 10500 allow_timeout_override: true', 0, 11],
    ['default_timeout_microseconds: 10500 allow_timeout_override: true', 20000, 11],
    ['allow_timeout_override: true', 1000, 'none'],
    ['', 1000, 'none'],
  ])('%s with %d ends at %s ms', async (text, timeout, expected) => {
    expect(await timeouts(text, timeout)).toBe(expected)
  })

  test('a shorter timeout of a later request comes first', () => {
    const rig = busyRig(policy('default_timeout_microseconds: 10000 allow_timeout_override: true'))
    rig.send('a')
    rig.send('b', { timeoutMicroseconds: 2000 })
    rig.clock.advance(3)
    expect(rig.heard).toEqual(['b Request timeout expired'])
    rig.clock.advance(8)
    expect(rig.heard).toEqual(['b Request timeout expired', 'a Request timeout expired'])
  })

  test('the backend is told the timeout and the priority of a request, whatever the policy', () => {
    const rig = new BatchRig('max_batch_size: 8 dynamic_batching { priority_levels: 2 default_priority_level: 2 }')
    rig.send('a', { timeoutMicroseconds: 1500, priority: 1 })
    expect(rig.batches[0]?.requests).toMatchObject([{ timeoutMicroseconds: 1500, priority: 1 }])
  })

  test('what runs has no timeout', async () => {
    const rig = new BatchRig(policy('default_timeout_microseconds: 1000'))
    rig.send('a')
    rig.clock.advance(100)
    expect(rig.clock.timers).toBe(0)
    await rig.finish()
    expect(rig.heard).toEqual(['a ok'])
  })
})

describe('DELAY', () => {
  const delay = (more = '') => policy('timeout_action: DELAY default_timeout_microseconds: 5000', more)

  test('a request whose time is over comes after the others of its level, and has no further timeout', async () => {
    const rig = busyRig(delay('preferred_batch_size: 2'))
    rig.send('a')
    rig.clock.advance(6)
    rig.send('b')
    rig.send('c')
    await rig.finish()
    await rig.finish()
    expect(rig.ids.slice(1)).toEqual([['b', 'c'], ['a']])
    await rig.finish()
    expect(rig.heard).toEqual(['busy ok', 'b ok', 'c ok', 'a ok'])
    expect(rig.stats.failed).toBe(0)
  })

  test('a delayed request waits for the queue delay while others reach a preferred size', async () => {
    const rig = new BatchRig(delay('preferred_batch_size: 4 max_queue_delay_microseconds: 15000'))
    rig.send('a')
    rig.clock.advance(6)
    rig.send('b', { batch: 2 })
    expect(rig.ids).toEqual([])
    rig.send('c', { batch: 2 })
    expect(rig.ids).toEqual([['b', 'c']])
    await rig.finish()
    rig.clock.advance(9)
    expect(rig.batches[1]).toMatchObject({ ids: ['a'], at: 15 })
  })

  test('delayed requests of a level come before the next level', async () => {
    const rig =
      busyRig(`max_batch_size: 8 dynamic_batching { preferred_batch_size: 1 priority_levels: 2 default_priority_level: 2
      priority_queue_policy { key: 1 value { timeout_action: DELAY default_timeout_microseconds: 5000 } } }`)
    rig.send('low')
    rig.send('a', { priority: 1 })
    rig.clock.advance(6)
    rig.send('b', { priority: 1 })
    for (let i = 0; i < 3; i++) await rig.finish()
    expect(rig.ids.slice(1)).toEqual([['b'], ['a'], ['low']])
  })

  test('a delayed request can be cancelled', async () => {
    const rig = busyRig(delay())
    const request = rig.send('a')
    rig.clock.advance(6)
    request.cancel()
    expect(rig.heard).toEqual(['a the request was cancelled'])
    await rig.finish()
    expect(rig.ids).toEqual([['busy']])
  })
})

describe('priorities', () => {
  const levels = (more = '') =>
    `max_batch_size: 8 dynamic_batching { priority_levels: 3 default_priority_level: 2 ${more} }`

  test('1 is first, and each level keeps its order', async () => {
    const rig = busyRig(levels('preferred_batch_size: 1'))
    rig.send('c1', { priority: 3 })
    rig.send('b1', { priority: 2 })
    rig.send('a1', { priority: 1 })
    rig.send('a2', { priority: 1 })
    rig.send('c2', { priority: 3 })
    rig.send('b2', { priority: 2 })
    for (let i = 0; i < 6; i++) await rig.finish()
    expect(rig.ids.slice(1).flat()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2'])
  })

  test.each([0, 4, -1, 1.5, Number.NaN])('priority %d is the default', async (priority) => {
    const rig = busyRig(levels('preferred_batch_size: 1'))
    rig.send('c', { priority: 3 })
    expect(rig.send('x', { priority }).priority).toBe(2)
    rig.send('a', { priority: 1 })
    for (let i = 0; i < 3; i++) await rig.finish()
    expect(rig.ids.slice(1).flat()).toEqual(['a', 'x', 'c'])
  })

  test('without levels priorities change nothing', async () => {
    const rig = busyRig('max_batch_size: 8 dynamic_batching { preferred_batch_size: 1 }')
    rig.send('a', { priority: 7 })
    rig.send('b', { priority: 1 })
    for (let i = 0; i < 2; i++) await rig.finish()
    expect(rig.ids.slice(1)).toEqual([['a'], ['b']])
  })

  test('without levels policies by priority are nothing', async () => {
    const rig = busyRig(`max_batch_size: 8 dynamic_batching { default_queue_policy { max_queue_size: 2 }
      priority_queue_policy { key: 0 value { max_queue_size: 1 } } }`)
    rig.send('a')
    rig.send('b')
    expect(() => rig.send('c')).toThrow('Exceeds')
  })

  test('a level without a policy of its own has the default one', () => {
    const rig = busyRig(`max_batch_size: 8 dynamic_batching { priority_levels: 3 default_priority_level: 3
      default_queue_policy { default_timeout_microseconds: 5000 }
      priority_queue_policy { key: 1 value { } } }`)
    rig.send('own', { priority: 1 })
    rig.send('middle', { priority: 2 })
    rig.send('low')
    rig.clock.advance(6)
    expect(rig.heard.toSorted()).toEqual(['low Request timeout expired', 'middle Request timeout expired'])
  })

  test('a batch goes over levels', async () => {
    const rig = busyRig(levels())
    rig.send('c', { priority: 3 })
    rig.send('a', { priority: 1 })
    await rig.finish()
    expect(rig.ids[1]).toEqual(['a', 'c'])
  })

  test('a higher one that comes goes to the front of a batch that waits', () => {
    const rig = new BatchRig(levels('preferred_batch_size: 4 max_queue_delay_microseconds: 10000'))
    rig.send('a', { batch: 2 })
    rig.send('b', { batch: 1 })
    rig.send('high', { batch: 2, priority: 1 })
    expect(rig.ids).toEqual([['high', 'a']])
    rig.clock.advance(10)
  })

  test('the delay counts from the oldest of the batch, whatever its level', () => {
    const rig = new BatchRig(levels('preferred_batch_size: 8 max_queue_delay_microseconds: 10000'))
    rig.send('low', { priority: 3 })
    rig.clock.advance(6)
    rig.send('high', { priority: 1 })
    rig.clock.advance(4)
    expect(rig.batches).toMatchObject([{ ids: ['high', 'low'], at: 10 }])
  })

  test('levels have their own timeouts', async () => {
    const rig =
      busyRig(`max_batch_size: 8 dynamic_batching { preferred_batch_size: 1 priority_levels: 2 default_priority_level: 2
      default_queue_policy { default_timeout_microseconds: 20000 }
      priority_queue_policy { key: 1 value { default_timeout_microseconds: 2000 } } }`)
    rig.send('a', { priority: 1 })
    rig.send('b', { priority: 2 })
    rig.clock.advance(3)
    expect(rig.heard).toEqual(['a Request timeout expired'])
    await rig.finish()
    expect(rig.ids[1]).toEqual(['b'])
  })

  test('very many levels are served in order', async () => {
    const rig = busyRig(`max_batch_size: 8
      dynamic_batching { preferred_batch_size: 1 priority_levels: 1000000 default_priority_level: 1000000 }`)
    const priorities = Array.from({ length: 100 }, (_, i) => ((i * 37) % 101) + 1)
    for (const priority of priorities) rig.send(String(priority), { priority })
    for (let i = 0; i < 100; i++) await rig.finish()
    expect(rig.ids.slice(1).flat().map(Number)).toEqual(priorities.toSorted((a, b) => a - b))
  })
})

describe('cancellation in the queue', () => {
  test('answers at once, frees the place, and counts', async () => {
    const rig = busyRig(policy('max_queue_size: 2'))
    const caller = new AbortController()
    rig.send('a', { signal: caller.signal })
    rig.send('b')
    caller.abort()
    expect(rig.heard).toEqual(['a the request was cancelled'])
    expect(rig.stats.failures.CANCELED).toBe(1)
    expect(rig.stats.pending).toBe(1)
    expect(rig.version.inflight).toBe(2)
    await rig.finish()
    expect(rig.ids[1]).toEqual(['b'])
  })

  test('the last one that waits takes the timer with it', () => {
    const rig = new BatchRig('max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 10000 }')
    const request = rig.send('a')
    expect(rig.clock.timers).toBe(1)
    request.cancel()
    expect(rig.clock.timers).toBe(0)
  })

  test('what is left may be a preferred size', () => {
    const rig = new BatchRig(
      'max_batch_size: 8 dynamic_batching { preferred_batch_size: [4, 8] max_queue_delay_microseconds: 10000 }',
    )
    rig.send('a')
    const request = rig.send('b', { batch: 2 })
    rig.send('c', { batch: 3 })
    expect(rig.ids).toEqual([])
    request.cancel()
    expect(rig.ids).toEqual([['a', 'c']])
  })

  test('the delay counts from the next one then', () => {
    const rig = new BatchRig('max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 10000 }')
    const request = rig.send('a')
    rig.clock.advance(4)
    rig.send('b')
    request.cancel()
    rig.clock.advance(9)
    expect(rig.ids).toEqual([])
    rig.clock.advance(1)
    expect(rig.batches).toMatchObject([{ ids: ['b'], at: 14 }])
  })

  test('of a request that runs leaves the batch as it is', async () => {
    const rig = new BatchRig('max_batch_size: 2 dynamic_batching { max_queue_delay_microseconds: 10000 }')
    const request = rig.send('a')
    rig.send('b')
    request.cancel()
    expect(rig.batches[0]?.requests.map(({ isCancelled }) => isCancelled)).toEqual([true, false])
    await rig.finish()
    expect(rig.heard).toEqual(['a the request was cancelled', 'b ok'])
  })
})
