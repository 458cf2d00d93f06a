import { describe, expect, test } from 'vitest'
import { config, input } from '../fixtures/server-rig.ts'
import { type OnDemandRig, onDemandRig, until } from './fixtures/on-demand-rig.ts'

/** What a request that is refused hears. */
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  )

/** Lets the load of a model wait until what is returned is called. */
function slowLoad({ backend }: OnDemandRig, model: string): () => void {
  let go!: () => void
  backend.slow.set(
    model,
    new Promise((resolve) => {
      go = resolve
    }),
  )
  return go
}

async function answerAll({ backend }: OnDemandRig, model: string, answers: readonly Promise<unknown>[]): Promise<void> {
  let open = answers.length
  for (const answer of answers) void answer.finally(() => open--).catch(() => {})
  while (open > 0) await backend.answer(model)
}

describe('models on demand', () => {
  test('are loaded by their first request, once for all that wait', async () => {
    const { server, backend, ask, loaded } = await onDemandRig({ a: 1, b: 1 }, undefined)
    expect(await loaded()).toEqual([])
    expect(await server.index()).toEqual([{ name: 'a' }, { name: 'b' }])
    await Promise.all([ask('a'), ask('a'), ask('a')])
    await ask('a')
    expect(backend.log).toEqual(['+a'])
    expect(await loaded()).toEqual(['a'])
    expect(server.statistics('a')[0]?.inferenceCount).toBe(4)
  })

  test('go when memory is needed, least recently used first', async () => {
    const { server, backend, ask, loaded } = await onDemandRig({ a: 1, b: 1, c: 1 }, 2)
    await ask('a')
    await ask('b')
    await ask('a')
    await ask('c')
    expect(backend.log).toEqual(['+a', '+b', '-b', '+c'])
    expect(await loaded()).toEqual(['a', 'c'])
    expect(await server.index()).toContainEqual({ name: 'b' })
    await ask('b')
    expect(backend.log).toEqual(['+a', '+b', '-b', '+c', '-a', '+b'])
    expect(backend.mostUsed).toBe(2)
  })

  test('all kinds of requests wait for them, streams too', async () => {
    const { server, backend } = await onDemandRig({ a: 1, b: 1, c: 1 }, 1)
    const requestInput = [{ name: 'IN', tensor: (await server.infer('a', input())).OUT! }]
    expect(await server.model('b').request({ inputs: requestInput })).toHaveProperty('modelName', 'b')
    let count = 0
    for await (const { OUT } of server.inferStream('c', input())) count += OUT!.data.length
    for await (const { outputs } of server.model('a').requestStream({ inputs: requestInput })) {
      count += outputs.OUT!.data.length
    }
    expect(count).toBe(4)
    expect(backend.log.filter((line) => line.startsWith('+'))).toEqual(['+a', '+b', '+c', '+a'])
  })

  test('are read afresh when they come back', async () => {
    const rig = await onDemandRig({ a: 1, b: 1 }, 1)
    await rig.ask('a')
    expect(rig.server.model('a').config.maxBatchSize).toBe(4)
    await rig.ask('b')
    await rig.repository.write({ 'a/config.pbtxt': config().replace('max_batch_size: 4', 'max_batch_size: 8') })
    await rig.ask('a')
    expect(rig.server.model('a').config.maxBatchSize).toBe(8)
  })

  test('one that is nowhere is not found, as in Triton', async () => {
    const { ask, server } = await onDemandRig({ a: 1 }, 1)
    expect(await refusal(ask('x'))).toBe("NOT_FOUND: Request for unknown model: 'x' is not found")
    expect(await refusal(ask('../a'))).toMatch(/^INVALID_ARG: invalid model name/)
    expect(await refusal(server.infer('a', input(), { version: 3 }))).toBe(
      "NOT_FOUND: Request for unknown model: 'a' version 3 is not found",
    )
  })

  test('asking whether one is ready, or for the index, loads nothing', async () => {
    const { server, backend, ask, clock } = await onDemandRig({ a: 1, b: 1 }, 1)
    expect(await server.isReady()).toBe(true)
    expect(await server.model('a').isReady()).toBe(true)
    expect(await server.model('a', 1).isReady()).toBe(true)
    expect(await server.model('a', 2).isReady()).toBe(false)
    expect(await server.model('x').isReady()).toBe(false)
    await server.index()
    expect(backend.log).toEqual([])
    backend.broken.add('a')
    await refusal(ask('a'))
    await refusal(ask('a'))
    expect(await server.model('a').isReady()).toBe(false)
    // A model that one client asks for in vain does not take the Server out of service.
    expect(await server.isReady()).toBe(true)
    await clock.advance(1000)
    expect(await server.model('a').isReady()).toBe(true)
  })
})

describe('a load that fails', () => {
  test('is told to all that waited, and tried again by later requests, less and less often', async () => {
    const { ask, backend, clock, figure } = await onDemandRig({ a: 1 }, 1)
    backend.broken.add('a')
    const failed = "UNAVAILABLE: model 'a' could not be loaded: a is broken"
    expect(await Promise.all([refusal(ask('a')), refusal(ask('a'))])).toEqual([failed, failed])
    // The first pause is none.
    expect(await refusal(ask('a'))).toBe(`${failed}; it is tried again in 1 s`)
    expect(figure('load_failures_total')).toBe(2)
    expect(await refusal(ask('a'))).toBe(`${failed}; it is tried again in 1 s`)
    expect(figure('load_failures_total')).toBe(2)
    await clock.advance(1000)
    expect(await refusal(ask('a'))).toBe(`${failed}; it is tried again in 2 s`)
    await clock.advance(2000)
    backend.broken.clear()
    expect(await refusal(ask('a'))).toBe('ok')
  })

  test('gives its memory back', async () => {
    const { ask, backend, figure } = await onDemandRig({ a: 2, b: 2 }, 2)
    backend.broken.add('a')
    await refusal(ask('a'))
    expect(figure('memory_used_bytes')).toBe(0)
    expect(await refusal(ask('b'))).toBe('ok')
  })
})

describe('a model that is in use is not evicted', () => {
  test('while a request is in flight: the load waits for its end', async () => {
    const { ask, backend, waitingLoads } = await onDemandRig({ a: 1, b: 1 }, 1)
    backend.held.add('a')
    const running = ask('a')
    await until(() => backend.waiting('a') > 0)
    const waiting = ask('b')
    await waitingLoads(1)
    expect(backend.log).toEqual(['+a'])

    await backend.answer('a')
    await Promise.all([running, waiting])
    expect(backend.log).toEqual(['+a', '-a', '+b'])
  })

  test('while a sequence lives', async () => {
    const sequence = {
      's/config.pbtxt': `backend: "identity" max_batch_size: 4
        sequence_batching { max_sequence_idle_microseconds: 5000000 }
        input { name: "IN" data_type: TYPE_FP32 dims: 2 } output { name: "OUT" data_type: TYPE_FP32 dims: 2 }`,
      's/1/': '',
    }
    const { ask, server, backend, clock, waitingLoads } = await onDemandRig({ b: 1, s: 1 }, 1, {}, sequence)
    await server.infer('s', input(), { correlationId: 5, sequenceStart: true })
    const waiting = ask('b')
    await waitingLoads(1)
    expect(backend.log).toEqual(['+s'])
    await clock.advance(6000)
    await waiting
    expect(backend.log).toEqual(['+s', '-s', '+b'])
  })

  test('while it is leased, twice or once', async () => {
    const { ask, server, backend, waitingLoads } = await onDemandRig({ a: 1, b: 1 }, 1)
    const one = await server.lease('a')
    const two = await server.lease('a')
    const waiting = ask('b')
    await one[Symbol.asyncDispose]()
    await one[Symbol.asyncDispose]()
    await waitingLoads(1)
    expect(backend.log).toEqual(['+a'])
    await two[Symbol.asyncDispose]()
    await waiting
    expect(backend.log).toEqual(['+a', '-a', '+b'])
  })

  test('loads wait in the order that they came, also where a later one would fit', async () => {
    const { ask, backend, server, waitingLoads } = await onDemandRig({ a: 2, b: 3, c: 1 }, 3)
    const lease = await server.lease('a')
    const order: string[] = []
    const big = ask('b').then(() => order.push('b'))
    await waitingLoads(1)
    const small = ask('c').then(() => order.push('c'))
    await waitingLoads(2)
    expect(backend.log).toEqual(['+a'])
    lease[Symbol.dispose]()
    await Promise.all([big, small])
    expect(backend.log).toEqual(['+a', '-a', '+b', '-b', '+c'])
    expect(order).toEqual(['b', 'c'])
  })

  test('before `unload`, when `load` brought it', async () => {
    const { ask, server, backend } = await onDemandRig({ a: 1, b: 1, c: 1 }, 2, { loadModels: ['a'] })
    await ask('b')
    await ask('c')
    expect(backend.log).toEqual(['+a', '+b', '-b', '+c'])
    await server.load('c')
    expect(await refusal(ask('b'))).toBe(
      "UNAVAILABLE: model 'b' needs 1 B, but the memory budget is 2 B, of which 2 B are taken by models that 'load' keeps there",
    )
    expect(await server.unload('c', { waitUntilUnloaded: true })).toMatchObject({
      versions: [{ name: 'c', version: 1 }],
      rssAfter: expect.any(Number),
    })
    expect(await refusal(ask('b'))).toBe('ok')
    expect(await refusal(ask('c'))).toBe('ok')
    expect(backend.log.slice(4)).toEqual(['-c', '+b', '-b', '+c'])
  })
})

test('a model that was unloaded and still runs comes back when it is gone', async () => {
  const { ask, server, backend, waitingLoads } = await onDemandRig({ a: 2 }, 3)
  backend.held.add('a')
  const running = ask('a')
  await until(() => backend.waiting('a') > 0)
  await server.unload('a')
  const next = refusal(ask('a'))
  await waitingLoads(1)
  backend.letGo()
  await running
  expect(await next).toBe('ok')
  expect(backend.log).toEqual(['+a', '-a', '+a'])
})

test('a load behind another one of the same model can be given up', async () => {
  const { server, waitingLoads } = await onDemandRig({ a: 1, b: 1 }, 1)
  const lease = await server.lease('b')
  const first = server.load('a')
  await waitingLoads(1)
  const abort = new AbortController()
  const second = refusal(server.load('a', { signal: abort.signal }))
  abort.abort()
  expect(await second).toBe('CANCELLED: the load was given up')
  lease[Symbol.dispose]()
  await first
})

describe('a request that waits for its model', () => {
  test('ends with its signal, its time, or the Server', async () => {
    const rig = await onDemandRig({ a: 1, b: 1 }, 1, { exitTimeout: 1 })
    const { server, ask, clock, backend, waitingLoads } = rig
    const lease = await server.lease('a')
    const abort = new AbortController()
    const cancelled = refusal(server.infer('b', input(), { signal: abort.signal }))
    const late = refusal(server.infer('b', input(), { timeoutMicroseconds: 2_000_000 }))
    const patient = refusal(ask('b'))
    await waitingLoads(1)
    abort.abort()
    expect(await cancelled).toBe('CANCELLED: the request was cancelled')
    await clock.advance(1999)
    await clock.advance(1)
    expect(await late).toBe("UNAVAILABLE: Request timeout expired before model 'b' was loaded")
    const stopping = server.stop()
    expect(await patient).toMatch(/^UNAVAILABLE: Server is stopping/)
    expect(await refusal(ask('b'))).toMatch(/^UNAVAILABLE/)
    lease[Symbol.dispose]()
    await stopping
    expect(backend.log).toEqual(['+a', '-a'])
  })

  test('leaves the line when nobody else waits', async () => {
    const { server, ask, figure, waitingLoads } = await onDemandRig({ a: 2, b: 2, c: 1 }, 3)
    const lease = await server.lease('a')
    const abort = new AbortController()
    const given = refusal(server.infer('b', input(), { signal: abort.signal }))
    await waitingLoads(1)
    const behind = ask('c')
    abort.abort()
    await behind
    expect(await given).toMatch('CANCELLED')
    expect(figure('waiting_loads')).toBe(0)
    lease[Symbol.dispose]()
  })

  test('has what is left of its time in the queue of the model', async () => {
    const rig = await onDemandRig(
      { m: 1 },
      1,
      {},
      {
        'm/config.pbtxt': `backend: "identity" max_batch_size: 1 instance_group { kind: KIND_CPU count: 1 }
        dynamic_batching {
          default_queue_policy { allow_timeout_override: true default_timeout_microseconds: 100000000 }
        }
        input { name: "IN" data_type: TYPE_FP32 dims: 2 } output { name: "OUT" data_type: TYPE_FP32 dims: 2 }`,
      },
    )
    const { server, backend, clock } = rig
    backend.held.add('m')
    const load = slowLoad(rig, 'm')
    const first = server.infer('m', input())
    const second = refusal(server.infer('m', input(), { timeoutMicroseconds: 3_000_000 }))
    await until(() => backend.loading > 0)
    await clock.advance(2000)
    load()
    await until(() => backend.waiting('m') > 0)
    await clock.advance(999)
    expect(backend.waiting('m')).toBe(1)
    await clock.advance(2)
    expect(await second).toBe('UNAVAILABLE: Request timeout expired')
    await answerAll(rig, 'm', [first])
  })

  test('a load goes on when its request is gone, since the next one needs it', async () => {
    const rig = await onDemandRig({ a: 1 }, 1)
    const { server, backend } = rig
    const load = slowLoad(rig, 'a')
    const late = refusal(server.infer('a', input(), { timeoutMicroseconds: 1_000_000 }))
    await until(() => backend.loading > 0)
    await rig.clock.advance(1000)
    expect(await late).toMatch('Request timeout expired')
    load()
    await until(() => backend.log.length > 0)
    expect(await refusal(rig.ask('a'))).toBe('ok')
    expect(backend.log).toEqual(['+a'])
  })

  test('a stream can be left while it waits', async () => {
    const { server, waitingLoads } = await onDemandRig({ a: 1, b: 1 }, 1)
    const lease = await server.lease('a')
    const stream = server.inferStream('b', input())[Symbol.asyncIterator]()
    const next = stream.next()
    await waitingLoads(1)
    await stream.return?.()
    expect(await next).toEqual({ done: true, value: undefined })
    await waitingLoads(0)

    lease[Symbol.dispose]()
  })
})

test('a model that is larger than the budget is refused at once', async () => {
  const { ask, server } = await onDemandRig({ a: 3, b: 1 }, 2)
  expect(await refusal(ask('a'))).toBe("UNAVAILABLE: model 'a' needs 3 B, but the memory budget is 2 B")
  expect(await refusal(server.load('a'))).toMatch('needs 3 B')
  expect(await refusal(ask('b'))).toBe('ok')
})
