import { echoBackend, manualBackend } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { config, repository, started } from '../fixtures/server-rig.ts'
import { type Logger, localCache, Server, silentLogger, type Tensor, TritonError, tensor } from '../index.ts'
import { answer, cachedServer, counts, enabled, input } from './fixtures/cached-server.ts'

const once = async (rig: Awaited<ReturnType<typeof cachedServer>>, n = 1) => {
  const outputs = rig.server.infer('m', input(n))
  answer(await rig.backend.next())
  return outputs
}

describe('a request that was answered before', () => {
  test('is answered without a run, under its own id', async () => {
    const rig = await cachedServer()
    const first = await once(rig)
    const second = await rig.server.model('m').request({
      id: 'again',
      inputs: [{ name: 'IN', tensor: tensor('FP32', [1, 2], new Float32Array([1, 1])) }],
    })
    expect(second).toMatchObject({ id: 'again', modelName: 'm', modelVersion: 1, parameters: {} })
    expect(second.outputs.OUT?.shape).toEqual([1, 2])
    expect(second.outputs.OUT?.data).toEqual(first.OUT?.data)
    expect(rig.backend.waiting).toBe(0)
  })

  test('is so from the moment that the first caller hears its answer', async () => {
    const rig = await cachedServer()
    const again = rig.server.infer('m', input()).then(() => rig.server.infer('m', input()))
    answer(await rig.backend.next())
    expect((await again).OUT?.data).toEqual(new Float32Array([2, 2]))
  })

  test('runs when an input differs', async () => {
    const rig = await cachedServer()
    await once(rig, 1)
    expect((await once(rig, 2)).OUT?.data).toEqual(new Float32Array([4, 4]))
    expect(counts(rig.server)).toMatchObject({ hits: 0, misses: 2 })
  })

  test('runs when it was answered with an error', async () => {
    const rig = await cachedServer()
    const failing = rig.server.infer('m', input())
    const { requests, finish } = await rig.backend.next()
    requests[0]?.fail(new TritonError('INTERNAL', 'out of luck'))
    finish()
    await expect(failing).rejects.toThrow('out of luck')
    await once(rig)
    expect(counts(rig.server)).toMatchObject({ success: 1, fail: 1, hits: 0, misses: 1 })
  })

  test('runs when the first is still running; one of both is a miss', async () => {
    const rig = await cachedServer('dynamic_batching {}')
    const both = [rig.server.infer('m', input()), rig.server.infer('m', input())]
    answer(await rig.backend.next())
    answer(await rig.backend.next())
    await Promise.all(both)
    expect(counts(rig.server)).toEqual({
      success: 2,
      fail: 0,
      hits: 0,
      misses: 1,
      inferenceCount: 2,
      executionCount: 2,
    })
  })

  test('is answered when the first caller gave up meanwhile', async () => {
    const rig = await cachedServer()
    const caller = new AbortController()
    const abandoned = rig.server.infer('m', input(), { signal: caller.signal })
    const execution = await rig.backend.next()
    caller.abort()
    await expect(abandoned).rejects.toMatchObject({ code: 'CANCELLED' })
    answer(execution)
    expect((await rig.server.infer('m', input())).OUT?.data).toEqual(new Float32Array([2, 2]))
    expect(counts(rig.server)).toMatchObject({ success: 1, fail: 1, hits: 1, misses: 0 })
  })

  test('runs after the model was loaded anew', async () => {
    const { server, backend } = await cachedServer('', { modelControl: 'explicit', loadModels: ['m'] })
    const infer = async (): Promise<void> => {
      const outputs = server.infer('m', input())
      answer(await backend.next())
      await outputs
    }
    await infer()
    await server.unload('m')
    await server.load('m')
    await infer()
    expect(counts(server)).toMatchObject({ hits: 0, misses: 1 })
  })

  test('whatever else the requests say', async () => {
    const rig = await cachedServer('dynamic_batching { priority_levels: 2 default_priority_level: 1 }')
    await once(rig)
    const parameters = { temperature: 1 }
    await rig.server.infer('m', input(), { priority: 2, timeoutMicroseconds: 9, correlationId: 7, parameters })
    expect(counts(rig.server)).toMatchObject({ hits: 1, executionCount: 1 })
  })

  test('has no parameters of the first response', async () => {
    const rig = await cachedServer()
    const IN = tensor('FP32', [1, 2], new Float32Array([1, 1]))
    const request = () => rig.server.model('m').request({ inputs: [{ name: 'IN', tensor: IN }] })
    const first = request()
    const { requests, finish } = await rig.backend.next()
    requests[0]?.respond({ outputs: { OUT: IN }, parameters: { tokens: 3 } })
    finish()
    expect((await first).parameters).toEqual({ tokens: 3 })
    expect((await request()).parameters).toEqual({})
  })

  test('needs neither an instance nor a place in the queue', async () => {
    const rig = await cachedServer('dynamic_batching { default_queue_policy { max_queue_size: 1 } }')
    await once(rig, 1)
    const busy = [rig.server.infer('m', input(2)), rig.server.infer('m', input(3))]
    const running = await rig.backend.next()
    await expect(rig.server.infer('m', input(4))).rejects.toThrow('Exceeds maximum queue size')
    expect((await rig.server.infer('m', input(1))).OUT?.data).toEqual(new Float32Array([2, 2]))
    answer(running)
    answer(await rig.backend.next())
    await Promise.all(busy)
  })

  test('has the shapes that callers know', async () => {
    const text = `
      backend: "identity" max_batch_size: 4 ${enabled}
      input { name: "IN" data_type: TYPE_FP32 dims: 4 reshape { shape: [ 2, 2 ] } }
      output { name: "OUT" data_type: TYPE_FP32 dims: 4 reshape { shape: [ 2, 2 ] } }`
    const files = { 'r/config.pbtxt': text, 'r/1/': '' }
    const server = await started(files, { cache: localCache({ size: 2 ** 20 }) })
    const shapes: unknown[] = []
    for (let i = 0; i < 2; i++) shapes.push((await server.infer('r', { IN: [[1, 2, 3, 4]] })).OUT?.shape)
    expect(shapes).toEqual([
      [1, 4],
      [1, 4],
    ])
    expect(server.statistics('r')[0]?.inferenceStats.cacheHit.count).toBe(1)
  })
})

describe('requested outputs', () => {
  const twoOutputs = `
    backend: "identity" ${enabled}
    input { name: "IN0" data_type: TYPE_INT32 dims: 1 } input { name: "IN1" data_type: TYPE_INT32 dims: 1 }
    output { name: "OUT0" data_type: TYPE_INT32 dims: 1 } output { name: "OUT1" data_type: TYPE_INT32 dims: 1 }`

  async function ask(...requests: (string[] | undefined)[]) {
    const files = { 'm/config.pbtxt': twoOutputs, 'm/1/': '' }
    const server = await started(files, { cache: localCache({ size: 2 ** 20 }) })
    const answers: string[][] = []
    for (const outputs of requests) {
      answers.push(Object.keys(await server.infer('m', { IN0: [1], IN1: [2] }, outputs && { outputs })))
    }
    return { answers, ...counts(server) }
  }

  test('a hit answers with all that is there', async () => {
    expect(await ask(undefined, ['OUT1'])).toMatchObject({
      answers: [
        ['OUT0', 'OUT1'],
        ['OUT0', 'OUT1'],
      ],
      hits: 1,
    })
  })

  test('an entry that lacks one is no hit, and then has it', async () => {
    expect(await ask(['OUT1'], ['OUT0'], ['OUT1'], undefined)).toMatchObject({
      answers: [['OUT1'], ['OUT0'], ['OUT1', 'OUT0'], ['OUT1', 'OUT0']],
      hits: 2,
      misses: 2,
    })
  })
})

describe('nobody can spoil what is kept', () => {
  test('by changing an answer', async () => {
    const rig = await cachedServer()
    for (let i = 0; i < 3; i++) {
      const { OUT } = await (i === 0 ? once(rig) : rig.server.infer('m', input()))
      expect(OUT?.data).toEqual(new Float32Array([2, 2]))
      const data = OUT?.data as Float32Array
      data.fill(7)
    }
  })

  test('by changing an input after the answer', async () => {
    const rig = await cachedServer()
    const data = new Float32Array([1, 1])
    const outputs = rig.server.infer('m', { IN: tensor('FP32', [1, 2], data) })
    answer(await rig.backend.next())
    await outputs
    data.fill(3)
    expect((await rig.server.infer('m', input(1))).OUT?.data).toEqual(new Float32Array([2, 2]))
    expect((await once(rig, 3)).OUT?.data).toEqual(new Float32Array([6, 6]))
  })

  test('by changing an input before the run', async () => {
    const rig = await cachedServer()
    const data = new Float32Array([1, 1])
    const outputs = rig.server.infer('m', { IN: tensor('FP32', [1, 2], data) })
    data.fill(3)
    answer(await rig.backend.next())
    expect((await outputs).OUT?.data).toEqual(new Float32Array([6, 6]))
    expect((await once(rig, 1)).OUT?.data).toEqual(new Float32Array([2, 2]))
  })
})

describe('nobody can spoil texts, which a tensor packs once', () => {
  const config = `
    backend: "identity" max_batch_size: 0 ${enabled}
    input { name: "IN" data_type: TYPE_STRING dims: 1 } output { name: "OUT" data_type: TYPE_STRING dims: 1 }`
  const texts = async (backend: string) => {
    const text = `${config.replace('identity', backend)} instance_group { kind: KIND_CPU count: 1 }`
    const manual = manualBackend()
    const cache = localCache({ size: 2 ** 20 })
    const options = { cache, backends: [echoBackend(), manual] }
    const server = await started({ 'm/config.pbtxt': text, 'm/1/': '' }, options)
    const ask = async (IN: string[] | Tensor) => (await server.infer('m', { IN })).OUT?.strings()
    return { server, manual, ask }
  }

  test('by changing an input before the run', async () => {
    const { manual, ask } = await texts('manual')
    const echo = async () => {
      const { requests, finish } = await manual.next()
      for (const request of requests) {
        const { data } = request.inputs.get('IN') as Tensor<'BYTES'>
        request.respond({ outputs: { OUT: tensor('BYTES', [1], [...data]) } })
      }
      finish()
    }
    const data = ['a']
    const outputs = ask(tensor('BYTES', [1], data))
    data[0] = 'b'
    await echo()
    expect(await outputs).toEqual(['b'])
    const others = ask(['a'])
    await echo()
    expect(await others).toEqual(['a'])
  })

  test('by changing an input into what is no text', async () => {
    const { manual, ask } = await texts('manual')
    const data: string[] = ['a']
    const outputs = ask(tensor('BYTES', [1], data))
    Object.assign(data, [null])
    const { requests, finish } = await manual.next()
    requests[0]?.respond({ outputs: { OUT: tensor('BYTES', [1], ['x']) } })
    finish()
    expect(await outputs).toEqual(['x'])
  })

  test('by sending a tensor again with other texts, which the model hands back', async () => {
    const { server, ask } = await texts('identity')
    const data = ['a']
    const IN = tensor('BYTES', [1], data)
    expect(await ask(IN)).toEqual(['a'])
    data[0] = 'b'
    expect(await ask(IN)).toEqual(['b'])
    expect([await ask(['a']), await ask(['b'])]).toEqual([['a'], ['b']])
    expect(counts(server)).toMatchObject({ hits: 2, misses: 2 })
  })
})

test('preserve_ordering: a hit waits for those who asked before', async () => {
  const rig = await cachedServer('dynamic_batching { preserve_ordering: true }')
  await once(rig, 1)
  const heard: string[] = []
  const tell = (name: string) => () => heard.push(name)
  const all = [
    rig.server.infer('m', input(2)).then(tell('miss')),
    rig.server.infer('m', input(1)).then(tell('hit')),
    rig.server.infer('m', input(1)).then(tell('hit')),
  ]
  const execution = await rig.backend.next()
  expect(heard).toEqual([])
  answer(execution)
  await Promise.all(all)
  expect(heard).toEqual(['miss', 'hit', 'hit'])
})

describe('statistics', () => {
  test('a hit is a success that did not run', async () => {
    const rig = await cachedServer()
    const outputs = rig.server.infer('m', input())
    const execution = await rig.backend.next()
    rig.clock.advance(3)
    answer(execution)
    await outputs
    await rig.server.infer('m', input())
    expect(rig.server.statistics('m')[0]).toMatchObject({
      inferenceCount: 1,
      executionCount: 1,
      inferenceStats: {
        success: { count: 2, ns: 3e6 },
        fail: { count: 0, ns: 0 },
        queue: { count: 2, ns: 0 },
        computeInput: { count: 1, ns: 0 },
        computeInfer: { count: 1, ns: 3e6 },
        computeOutput: { count: 1, ns: 0 },
        cacheHit: { count: 1, ns: 0 },
        cacheMiss: { count: 1, ns: 0 },
      },
      batchStats: [{ batchSize: 1 }],
    })
  })

  test('metrics of models with a cache have the names and texts of Triton', async () => {
    const rig = await cachedServer()
    await once(rig)
    for (let i = 0; i < 2; i++) await rig.server.infer('m', input())
    const lines = rig.server.metrics().split('\n')
    const start = lines.indexOf('# HELP nv_cache_num_hits_per_model Number of cache hits per model')
    expect(lines.slice(start, start + 12)).toEqual([
      '# HELP nv_cache_num_hits_per_model Number of cache hits per model',
      '# TYPE nv_cache_num_hits_per_model counter',
      'nv_cache_num_hits_per_model{model="m",version="1"} 2',
      '# HELP nv_cache_hit_duration_per_model Total cache hit duration per model, in microseconds',
      '# TYPE nv_cache_hit_duration_per_model counter',
      'nv_cache_hit_duration_per_model{model="m",version="1"} 0',
      '# HELP nv_cache_num_misses_per_model Number of cache misses per model',
      '# TYPE nv_cache_num_misses_per_model counter',
      'nv_cache_num_misses_per_model{model="m",version="1"} 1',
      '# HELP nv_cache_miss_duration_per_model Total cache miss (insert+lookup) duration per model, in microseconds',
      '# TYPE nv_cache_miss_duration_per_model counter',
      'nv_cache_miss_duration_per_model{model="m",version="1"} 0',
    ])
  })

  test('other models have none', async () => {
    const server = await started({ 'a/config.pbtxt': config(), 'a/1/': '' }, { cache: localCache({ size: 2 ** 20 }) })
    for (let i = 0; i < 2; i++) await server.infer('a', input())
    expect(server.metrics()).not.toContain('nv_cache')
    expect(server.statistics('a')[0]).toMatchObject({ executionCount: 2, inferenceStats: { cacheMiss: { count: 0 } } })
  })
})

describe('where nothing is cached', () => {
  test('a Server without a cache says so of each model that wants one', async () => {
    const warnings: string[] = []
    const logger: Logger = { ...silentLogger, warn: (_, message) => warnings.push(message) }
    const server = await started({ 'a/config.pbtxt': config(enabled), 'a/1/': '' }, { logger })
    expect(warnings).toEqual(["model 'a' enables response_cache but the server has no cache: every request runs"])
    for (let i = 0; i < 2; i++) await server.infer('a', input())
    expect(server.statistics('a')[0]?.executionCount).toBe(2)
  })

  test('warm-up', async () => {
    const backend = echoBackend()
    const zeros = 'inputs { key: "IN" value { data_type: TYPE_FP32 dims: 2 zero_data: true } }'
    const more = `${enabled} instance_group { kind: KIND_CPU count: 1 }
      model_warmup { name: "w" batch_size: 1 count: 2 ${zeros} }`
    const options = { backends: [backend], cache: localCache({ size: 2 ** 20 }) }
    const server = await started({ 'm/config.pbtxt': config(more), 'm/1/': '' }, options)
    await server.infer('m', input(0))
    expect(backend.batches).toHaveLength(3)
    expect(counts(server)).toMatchObject({ success: 3, hits: 0, misses: 1 })
  })

  test('a response larger than the cache is a miss each time', async () => {
    const rig = await cachedServer('', { cache: localCache({ size: 150 }) })
    for (let i = 0; i < 2; i++) await once(rig)
    expect(counts(rig.server)).toMatchObject({ hits: 0, misses: 2 })
    expect(rig.errors).toHaveLength(1)
    expect(rig.errors[0]).toMatch(
      /^Failed to insert key \[[\w-]{43}\] into response cache: Requested byte_size: \d+ is greater than total cache size: 150$/,
    )
  })

  test('a response whose data does not fit its shape', async () => {
    const rig = await cachedServer()
    for (let i = 0; i < 2; i++) {
      const outputs = rig.server.infer('m', input())
      const { requests, finish } = await rig.backend.next()
      const torn = Object.assign(tensor('FP32', [1, 2], new Float32Array(2)), { shape: [1, 3] })
      requests[0]?.respond({ outputs: { OUT: torn } })
      finish()
      await outputs
    }
    expect(counts(rig.server)).toMatchObject({ hits: 0, misses: 2 })
    expect(rig.errors[0]).toContain('8 bytes do not make a FP32 tensor of shape [1,3]')
  })

  test.each([
    ["with 'decoupled' transaction policy", 'model_transaction_policy { decoupled: true }'],
    ['with sequence batching scheduler', 'sequence_batching {}'],
  ])('a model %s is not loaded', async (text, more) => {
    const { path } = await repository({ 'a/config.pbtxt': config(`${enabled} ${more}`), 'a/1/': '' })
    const options = { modelRepository: path, backends: [echoBackend()], cache: localCache({ size: 2 ** 20 }) }
    await expect(Server.start(options)).rejects.toThrow(`Response Cache does not currently support model a ${text}`)
  })
})

test('two Servers, each with its cache', async () => {
  const one = await cachedServer()
  const other = await cachedServer()
  await once(one)
  await once(other)
  expect([counts(one.server).misses, counts(other.server).misses]).toEqual([1, 1])
})
