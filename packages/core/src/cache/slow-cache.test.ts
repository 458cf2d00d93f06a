import { describe, expect, test } from 'vitest'
import { cleanUp, repository } from '../fixtures/server-rig.ts'
import { localCache, type ResponseCache, Server, type ServerOptions, TritonError, tensor } from '../index.ts'
import { encodeEntry } from './cache-entry.ts'
import { answer, cachedServer, counts, input, settle } from './fixtures/cached-server.ts'
import { SlowCache } from './fixtures/slow-cache.ts'

const scalar = tensor('FP32', [], new Float32Array(1))

async function slowServer(more = '', options: ServerOptions = {}) {
  const cache = new SlowCache()
  const rig = await cachedServer(more, { cache, ...options })
  cleanUp(async () => {
    for (const insert of cache.inserts) insert.answer()
  })
  return { cache, ...rig }
}

/** An entry as a cache gets it. */
async function entryOf(n: number): Promise<Uint8Array> {
  const { cache, server, backend } = await slowServer()
  const outputs = server.infer('m', input(n))
  cache.lookups[0]?.answer()
  answer(await backend.next())
  await outputs
  cache.inserts[0]?.answer()
  return cache.inserts[0]?.entry as Uint8Array
}

describe('while a lookup is under way', () => {
  test('the request is pending, and then runs', async () => {
    const { cache, server, backend } = await slowServer()
    const outputs = server.infer('m', input())
    expect(server.metrics()).toContain('nv_inference_pending_request_count{model="m",version="1"} 1')
    await settle()
    expect(backend.waiting).toBe(0)
    cache.lookups[0]?.answer()
    answer(await backend.next())
    expect((await outputs).OUT?.data).toEqual(new Float32Array([2, 2]))
    expect(server.metrics()).toContain('nv_inference_pending_request_count{model="m",version="1"} 0')
  })

  test('or is answered', async () => {
    const entry = await entryOf(5)
    const { cache, server, clock } = await slowServer()
    const outputs = server.infer('m', input())
    clock.advance(4)
    cache.lookups[0]?.answer(entry)
    expect((await outputs).OUT?.data).toEqual(new Float32Array([10, 10]))
    expect(server.statistics('m')[0]?.inferenceStats).toMatchObject({
      success: { count: 1, ns: 4e6 },
      queue: { count: 1, ns: 0 },
      cacheHit: { count: 1, ns: 4e6 },
      cacheMiss: { count: 0, ns: 0 },
    })
  })

  test('the caller may give up, and the cache is told', async () => {
    const { cache, server, backend } = await slowServer()
    const caller = new AbortController()
    const outputs = server.infer('m', input(), { signal: caller.signal })
    const { signal } = cache.lookups[0]?.options ?? {}
    caller.abort()
    await expect(outputs).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(signal?.aborted).toBe(true)
    cache.lookups[0]?.answer()
    await settle()
    expect(backend.waiting).toBe(0)
    expect(counts(server)).toMatchObject({ success: 0, fail: 1 })
  })

  test('a cache that asks too late for the signal is told too', async () => {
    const { cache, server } = await slowServer()
    const caller = new AbortController()
    const outputs = server.infer('m', input(), { signal: caller.signal })
    caller.abort()
    await expect(outputs).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(cache.lookups[0]?.options.signal.aborted).toBe(true)
  })

  test('the Server does not stop', async () => {
    const { cache, server, backend } = await slowServer()
    const outputs = server.infer('m', input())
    const stopped = server.stop()
    cache.lookups[0]?.answer()
    answer(await backend.next())
    expect((await outputs).OUT?.data).toEqual(new Float32Array([2, 2]))
    cache.inserts[0]?.answer()
    await stopped
    expect(cache.log).toEqual(['open', 'dispose'])
  })

  test('unless its time is up', async () => {
    const { server, clock } = await slowServer('', { exitTimeout: 0.5 })
    const outputs = server.infer('m', input())
    const stopped = server.stop()
    clock.advance(500)
    await expect(stopped).rejects.toThrow('Exit timeout expired')
    await expect(outputs).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('preserve_ordering: those after it wait', async () => {
    const entry = await entryOf(1)
    const { cache, server, backend } = await slowServer('dynamic_batching { preserve_ordering: true }')
    const heard: string[] = []
    const all = ['a', 'b'].map((id) => server.infer('m', input(), { id }).then(() => heard.push(id)))
    cache.lookups[1]?.answer(entry)
    await settle()
    expect(heard).toEqual([])
    cache.lookups[0]?.answer()
    answer(await backend.next())
    await Promise.all(all)
    expect(heard).toEqual(['a', 'b'])
  })

  test('no queue delay passes', async () => {
    const { cache, server, backend, clock } = await slowServer(
      'dynamic_batching { max_queue_delay_microseconds: 5000 }',
    )
    const outputs = server.infer('m', input())
    clock.advance(20)
    cache.lookups[0]?.answer()
    await settle()
    clock.advance(4.9)
    expect(backend.waiting).toBe(0)
    clock.advance(0.1)
    answer(await backend.next())
    await outputs
    expect(server.statistics('m')[0]?.inferenceStats.queue).toEqual({ count: 1, ns: 25e6 })
  })

  test('the queue may become full; that is no failure', async () => {
    const full = 'dynamic_batching { default_queue_policy { max_queue_size: 1 } }'
    const { cache, server, backend } = await slowServer(full)
    const all = [1, 2, 3].map((n) => server.infer('m', input(n)))
    for (const lookup of cache.lookups) lookup.answer()
    await expect(all[2]).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('Exceeds maximum queue size'),
    })
    answer(await backend.next())
    answer(await backend.next())
    await Promise.all(all.slice(0, 2))
    expect(counts(server)).toMatchObject({ success: 2, fail: 0 })
  })
})

describe('a cache that does not answer', () => {
  test('is given up after its timeout, each request at its own time', async () => {
    const { cache, server, backend, clock, errors } = await slowServer()
    const first = server.infer('m', input(1))
    clock.advance(400)
    const second = server.infer('m', input(2))
    const { signal } = cache.lookups[0]?.options ?? {}
    clock.advance(599)
    expect(backend.waiting).toBe(0)
    clock.advance(1)
    answer(await backend.next())
    await first
    expect(signal?.aborted).toBe(true)
    expect(backend.waiting).toBe(0)
    clock.advance(400)
    answer(await backend.next())
    await second
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(/^Failed to look up key \[.{43}\] in response cache: no answer within 1000 ms$/)
    expect(counts(server)).toMatchObject({ success: 2, hits: 0 })
  })

  test('and what it says later does not matter', async () => {
    const entry = await entryOf(5)
    const { cache, server, backend, clock } = await slowServer()
    const outputs = server.infer('m', input())
    clock.advance(1000)
    const execution = await backend.next()
    cache.lookups[0]?.answer(entry)
    await settle()
    answer(execution)
    expect((await outputs).OUT?.data).toEqual(new Float32Array([2, 2]))
    expect(counts(server)).toMatchObject({ success: 1, hits: 0 })
  })

  test('keeps no timer after it answered', async () => {
    const { cache, server, backend, clock } = await slowServer()
    const outputs = server.infer('m', input())
    expect(clock.timers).toBe(1)
    cache.lookups[0]?.answer()
    answer(await backend.next())
    await outputs
    expect(clock.timers).toBe(0)
  })

  test('does not keep the Server from stopping', async () => {
    const { cache, server, backend, clock } = await slowServer()
    const outputs = server.infer('m', input())
    cache.lookups[0]?.answer()
    answer(await backend.next())
    await outputs
    const stopped = server.stop()
    await settle()
    clock.advance(1000)
    await stopped
    expect(cache.log).toEqual(['open', 'dispose'])
  })
})

describe('a slow insert', () => {
  test('keeps nobody waiting, and is counted when it ended', async () => {
    const { cache, server, backend, clock } = await slowServer()
    const outputs = server.infer('m', input())
    clock.advance(2)
    cache.lookups[0]?.answer()
    const execution = await backend.next()
    clock.advance(5)
    answer(execution)
    await outputs
    expect(counts(server)).toMatchObject({ success: 1, misses: 0 })
    clock.advance(7)
    cache.inserts[0]?.answer()
    await settle()
    expect(server.statistics('m')[0]?.inferenceStats).toMatchObject({
      success: { count: 1, ns: 7e6 + 9e6 },
      queue: { count: 1, ns: 2e6 },
      cacheMiss: { count: 1, ns: 9e6 },
    })
  })

  test('that finds the key taken is no miss', async () => {
    const { cache, server, backend } = await slowServer()
    const outputs = server.infer('m', input())
    cache.lookups[0]?.answer()
    answer(await backend.next())
    await outputs
    expect(cache.inserts[0]?.options).toEqual({ replace: false })
    cache.inserts[0]?.answer(false)
    await settle()
    expect(counts(server)).toMatchObject({ success: 1, misses: 0 })
  })

  test('holds back 64 MiB at most', async () => {
    const { cache, server, backend, errors } = await slowServer('', {
      modelConfigs: {
        m: {
          backend: 'manual',
          maxBatchSize: 0,
          input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [-1] }],
          output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [-1] }],
          instanceGroup: [{ kind: 'KIND_CPU', count: 1 }],
          responseCache: { enable: true },
        },
      },
    })
    for (let n = 0; n < 2; n++) {
      const outputs = server.infer('m', { IN: new Float32Array(9 * 2 ** 20).fill(n) })
      cache.lookups[n]?.answer()
      answer(await backend.next())
      await outputs
    }
    expect(cache.inserts).toHaveLength(1)
    expect(errors[0]).toMatch(/^Failed to insert key \[.{43}\] into response cache: too many entries wait/)
    for (const insert of cache.inserts) insert.answer()
    await settle()
    expect(counts(server)).toMatchObject({ success: 2, misses: 2 })
  })
})

describe('a cache that fails', () => {
  const broken: ResponseCache = {
    name: 'broken',
    lookup: () => {
      throw new Error('no cache')
    },
    insert: () => {
      throw new Error('no cache')
    },
    dispose: () => {
      throw new Error('no cache')
    },
  }
  const rejecting: ResponseCache = {
    ...broken,
    lookup: async () => broken.lookup('', { signal: new AbortController().signal }),
    insert: async () => broken.insert('', new Uint8Array(), { replace: false }),
  }

  test.each([
    ['at once', broken],
    ['later', rejecting],
  ])('%s: every request runs, and the log is not flooded', async (_, cache) => {
    const { server, backend, clock, errors } = await cachedServer('', { cache })
    for (let n = 0; n < 6; n++) {
      const outputs = server.infer('m', input())
      answer(await backend.next())
      expect((await outputs).OUT?.data).toEqual(new Float32Array([2, 2]))
      await settle()
      if (n === 3) clock.advance(10_000)
    }
    expect(counts(server)).toMatchObject({ success: 6, hits: 0, misses: 6 })
    expect(errors).toHaveLength(2)
    expect(errors[0]).toMatch(/^Failed to look up key \[.{43}\] in response cache: no cache$/)
    expect(errors[1]).toMatch(/: no cache \(and 7 more failures since the last one logged\)$/)
    await server.stop()
    expect(errors[2]).toBe('failed to clean up the response cache')
  })

  const unusual: [string, object, string | undefined][] = [
    ['finds null', { lookup: () => null }, undefined],
    ['finds null later', { lookup: async () => null }, undefined],
    ['finds no bytes', { lookup: () => 'x' }, 'what it found is no Uint8Array'],
    ['finds no bytes later', { lookup: async () => [1] }, 'what it found is no Uint8Array'],
    ['stores and says a number', { insert: () => 1 }, undefined],
    ['stores and says null later', { insert: async () => null }, undefined],
    ['throws what has no text', { lookup: () => Promise.reject(Object.create(null)) }, '[Object: null prototype] {}'],
    ['rejects with a symbol', { insert: () => Promise.reject(Symbol('no')) }, 'Symbol(no)'],
  ]
  test.each(unusual)('or %s, against its type: the request runs', async (_, methods, text) => {
    const usual: ResponseCache = { name: 'odd', lookup: () => undefined, insert: () => true, dispose: () => {} }
    const { server, backend, errors } = await cachedServer('', { cache: { ...usual, ...methods } })
    const outputs = server.infer('m', input())
    answer(await backend.next())
    expect((await outputs).OUT?.data).toEqual(new Float32Array([2, 2]))
    await settle()
    expect(counts(server)).toMatchObject({ success: 1, misses: 1 })
    expect(errors).toEqual(text === undefined ? [] : [expect.stringContaining(text)])
  })

  test.each([
    ['cut short', (entry: Uint8Array) => entry.subarray(0, 20), 'the entry is corrupt'],
    ['of another model', (entry: Uint8Array) => Buffer.from(entry).fill('NOT', 9, 12), 'no such output'],
    ['named like no output can be', () => encodeEntry(Object.fromEntries([['__proto__', scalar]])), 'no such output'],
  ])('an entry that is %s is a miss, and is replaced', async (_, spoil, text) => {
    const entry = await entryOf(1)
    const { cache, server, backend, errors } = await slowServer()
    const outputs = server.infer('m', input())
    cache.lookups[0]?.answer(spoil(entry))
    answer(await backend.next())
    await outputs
    expect(cache.inserts[0]).toMatchObject({ entry, options: { replace: true } })
    cache.inserts[0]?.answer()
    expect(errors[0]).toContain(text)
  })
})

describe('the Server owns the cache', () => {
  test('it opens it before the first model is loaded and disposes it after the last is gone', async () => {
    const { cache, server, backend } = await slowServer()
    expect([cache.log, backend.log]).toEqual([['open'], ['model m 1', 'instance m_0_0']])
    await server.stop()
    await server.stop()
    expect(cache.log).toEqual(['open', 'dispose'])
  })

  test('it does not start when the cache cannot be opened', async () => {
    let disposed = 0
    const cache: ResponseCache = {
      ...localCache({ size: 2 ** 20 }),
      name: 'closed',
      open: () => Promise.reject(new TritonError('INTERNAL', 'the door is locked')),
      dispose: () => {
        disposed++
      },
    }
    const { path } = await repository({})
    const server = new Server({ modelRepository: path, cache })
    await expect(server.start()).rejects.toThrow('the door is locked')
    expect([server.state, disposed]).toEqual(['stopped', 0])
  })

  test('a Server that is stopped while the cache opens gives it up', async () => {
    const log: string[] = []
    const cache: ResponseCache = {
      name: 'door',
      open: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('nobody comes')))),
      lookup: () => undefined,
      insert: () => true,
      dispose: () => {
        log.push('dispose')
      },
    }
    const server = new Server({ cache })
    const started = expect(server.start()).rejects.toMatchObject({ code: 'CANCELLED' })
    await server.stop()
    await started
    const caller = new AbortController()
    const other = new Server({ cache })
    const alsoStarted = expect(other.start({ signal: caller.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
    caller.abort()
    await alsoStarted
    expect([server.state, other.state, log]).toEqual(['stopped', 'stopped', []])
  })

  test('a cache that opened too late is disposed', async () => {
    const cache = new SlowCache()
    let opened = (): void => {}
    cache.open = () =>
      new Promise<void>((resolve) => {
        opened = resolve
      })
    const server = new Server({ cache })
    const started = server.start().catch(() => {})
    const stopped = server.stop()
    opened()
    await Promise.all([started, stopped])
    expect(cache.log).toEqual(['dispose'])
  })

  test('a Server that was never started disposes nothing', async () => {
    const cache = new SlowCache()
    await new Server({ cache }).stop()
    expect(cache.log).toEqual([])
  })
})
