import { describe, expect, test } from 'vitest'
import { input } from '../fixtures/server-rig.ts'
import { ensemble } from './fixtures/ensemble-files.ts'
import { type OnDemandRig, onDemandRig, turns, until } from './fixtures/on-demand-rig.ts'

describe('a load that is first in line and finds nothing idle', () => {
  /** A model whose requests never end by themselves, and a load that waits for its memory. */
  async function busy(sizes: Record<string, number>, budget: number, files = {}): Promise<OnDemandRig> {
    const rig = await onDemandRig(sizes, budget, {}, files)
    rig.backend.held.add('a')
    return rig
  }

  test('waits for a second, then the model takes no more requests until it was loaded again', async () => {
    const rig = await busy({ a: 1, b: 1 }, 1)
    const { ask, backend, clock, waitingLoads, server } = rig
    const first = ask('a')
    await until(() => backend.waiting('a') > 0)
    const other = ask('b')
    await waitingLoads(1)
    await clock.advance(999)
    const before = ask('a')
    await clock.advance(1)
    const after = ask('a')
    await waitingLoads(2)
    expect(await server.model('a').isReady()).toBe(true)
    await backend.answer('a')
    await first
    expect(backend.log).toEqual(['+a'])
    await backend.answer('a')
    await Promise.all([before, other])
    expect(backend.log).toEqual(['+a', '-a', '+b'])
    await until(() => backend.waiting('a') > 0)
    expect(backend.log).toEqual(['+a', '-a', '+b', '-b', '+a'])
    await backend.answer('a')
    await after
  })

  test('takes the least recently used ones, as many as it needs', async () => {
    const rig = await busy({ a: 1, b: 1, c: 1, d: 2 }, 3)
    const { ask, backend, clock, waitingLoads, figure } = rig
    for (const name of ['b', 'c']) backend.held.add(name)
    const running: Promise<unknown>[] = []
    for (const name of ['b', 'a', 'c']) {
      running.push(ask(name))
      await until(() => backend.waiting(name) > 0)
    }
    const big = ask('d')
    await waitingLoads(1)
    await clock.advance(1000)
    const stays = ask('c')
    const waits = ['a', 'b'].map(ask)
    await waitingLoads(3)
    for (const name of ['a', 'b', 'c']) await backend.answer(name)
    await Promise.all([...running, big])
    await backend.answer('c')
    await stays
    expect(backend.log.slice(3, 6).sort()).toEqual(['+d', '-a', '-b'])
    backend.letGo()
    await Promise.all(waits)
    expect(figure('waiting_loads')).toBe(0)
  })

  test('leaves models alone that would not be enough: a leased one, a live sequence, one that came just now', async () => {
    const sequence = {
      's/config.pbtxt': `backend: "identity" max_batch_size: 4
        sequence_batching { max_sequence_idle_microseconds: 5000000 }
        input { name: "IN" data_type: TYPE_FP32 dims: 2 } output { name: "OUT" data_type: TYPE_FP32 dims: 2 }`,
      's/1/': '',
    }
    const { ask, server, backend, clock, waitingLoads, figure } = await busy({ a: 1, b: 3, s: 1, x: 1 }, 3, sequence)
    const lease = await server.lease('x')
    await server.infer('s', input(), { correlationId: 5, sequenceStart: true })
    const first = ask('a')
    await until(() => backend.waiting('a') > 0)
    const big = ask('b')
    await waitingLoads(1)
    await clock.advance(1500)
    const second = ask('a')
    await turns()
    expect(figure('waiting_loads')).toBe(1)
    await server.infer('s', input(), { correlationId: 5, sequenceEnd: true })
    await clock.advance(1000)
    const third = ask('a')
    await turns()
    expect(figure('waiting_loads')).toBe(1)
    lease[Symbol.dispose]()
    backend.letGo()
    await Promise.all([first, second, third, big])
  })

  test('lets one that came just now serve for a second, however long its load took', async () => {
    const { ask, backend, clock, waitingLoads } = await busy({ a: 1, b: 1 }, 1)
    let come!: () => void
    const coming = new Promise<void>((resolve) => {
      come = resolve
    })
    backend.slow.set('a', coming)
    const first = ask('a')
    await until(() => backend.loading > 0)
    const waiting = ask('b')
    await waitingLoads(1)
    await clock.advance(3500)
    come()
    await until(() => backend.waiting('a') > 0)
    await clock.advance(999)
    const second = ask('a')
    await turns()
    await clock.advance(501)
    const third = ask('a')
    await waitingLoads(2)
    while (!backend.log.includes('+b')) await backend.answer('a')
    await Promise.all([first, second, waiting])
    backend.letGo()
    await third
    expect(backend.log).toEqual(['+a', '-a', '+b', '-b', '+a'])
  })

  test('takes another model when the first one does not come to rest', async () => {
    const { ask, backend, clock, waitingLoads } = await busy({ a: 1, b: 1, c: 1 }, 2)
    backend.held.add('b')
    const endless = ask('a')
    await until(() => backend.waiting('a') > 0)
    const short = ask('b')
    await until(() => backend.waiting('b') > 0)
    const waiting = ask('c')
    await waitingLoads(1)
    await clock.advance(2000)
    backend.held.delete('b')
    const next = [ask('a'), ask('b')]
    await waitingLoads(3)
    await backend.answer('b')
    await Promise.all([short, waiting])
    expect(backend.log).toEqual(['+a', '+b', '-b', '+c'])
    // What still is there needs no load.
    backend.letGo()
    await Promise.all([endless, ...next])
    expect(backend.log.filter((line) => line === '+a')).toHaveLength(1)
  })

  test('that is given up lets the model go on', async () => {
    const { ask, server, backend, clock, waitingLoads, figure } = await busy({ a: 1, b: 1 }, 1)
    const first = ask('a')
    await until(() => backend.waiting('a') > 0)
    const abort = new AbortController()
    const given = server.infer('b', input(), { signal: abort.signal }).catch(({ code }) => code)
    await waitingLoads(1)
    await clock.advance(1000)
    const second = ask('a')
    await waitingLoads(2)
    abort.abort()
    expect(await given).toBe('CANCELLED')
    await until(() => figure('waiting_loads') === 0)
    expect(clock.timers).toBe(0)
    backend.letGo()
    await Promise.all([first, second])
    expect(backend.log).toEqual(['+a'])
  })

  test('takes an ensemble with its steps', async () => {
    const rig = await busy({ a: 1, b: 1, c: 2 }, 2, ensemble('e', 'a', 'b'))
    const { ask, backend, clock, waitingLoads } = rig
    const running = ask('e')
    await until(() => backend.waiting('a') > 0)
    const waiting = ask('c')
    await waitingLoads(1)
    await clock.advance(1000)
    const next = ask('e')
    await waitingLoads(2)
    await backend.answer('a')
    await Promise.all([running, waiting])
    expect(backend.log.slice(0, 5).sort()).toEqual(['+a', '+b', '+c', '-a', '-b'])
    backend.letGo()
    await next
  })
})
