import { echoBackend, virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { inlineBackend } from './fixtures/inline-backend.ts'
import { answer, config, input, repository, started, withManual } from './fixtures/server-rig.ts'
import { type Logger, localCache, Server, type ServerOptions, silentLogger } from './index.ts'
import { resolveServerOptions } from './resolve-options.ts'

test('settings that are not acted on are named in the log', async () => {
  const warnings: string[] = []
  const logger: Logger = { ...silentLogger, warn: (_, message) => warnings.push(message) }
  const parameter = 'parameters { key: "TRITON_BATCH_STRATEGY_PATH" value { string_value: "batching.so" } }'
  const files = { 'a/config.pbtxt': config(`dynamic_batching {} ${parameter}`), 'a/1/': '' }
  const backend = inlineBackend('identity', () => ({ model: { servesBatchStrategy: true } }))
  await started(files, { logger, backends: [backend] })
  expect(warnings).toEqual([])
  await started(files, { logger })
  expect(warnings).toEqual([
    "model 'a' sets what this version of triton-ts does not act on: TRITON_BATCH_STRATEGY_PATH: no batching library is loaded",
  ])
})

describe('stop', () => {
  test('waits for requests in flight, refuses new ones, disposes everything once', async () => {
    const { server, backend } = await withManual()
    const running = server.infer('m', input())
    const { requests, finish } = await backend.next()
    const stopping = server.stop()
    expect(server.isLive()).toBe(false)
    await expect(server.infer('m', input())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    requests[0]?.respond(answer)
    finish()
    await running
    await stopping
    expect(server.stop()).toBe(stopping)
    expect(backend.log).toEqual(['model m 1', 'instance m_0_0', 'dispose m_0_0', 'dispose m 1'])
  })

  test('after the exit timeout every caller has an answer', async () => {
    const clock = virtualClock()
    const { server, backend } = await withManual('', { clock, exitTimeout: 5 })
    const running = server.infer('m', input())
    const waiting = server.infer('m', input())
    await backend.next()
    const stopping = server.stop()
    clock.advance(5000)
    await expect(stopping).rejects.toMatchObject({
      code: 'INTERNAL',
      message: 'Exit timeout expired. Exiting immediately.',
    })
    await expect(running).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('await using stops the server', async () => {
    const { path } = await repository({ 'a/config.pbtxt': config(), 'a/1/': '' })
    let kept: Server
    {
      await using server = await Server.start({ modelRepository: path, backends: [echoBackend()] })
      kept = server
      expect(server.state).toBe('ready')
    }
    expect(kept.state).toBe('stopped')
  })

  test('two servers with one backend value do not touch each other', async () => {
    const backend = echoBackend()
    const files = { 'a/config.pbtxt': config(), 'a/1/': '' }
    const [one, two] = await Promise.all([
      started(files, { backends: [backend] }),
      started(files, { backends: [backend] }),
    ])
    await one.infer('a', input())
    await one.stop()
    expect(await two.infer('a', input())).toHaveProperty('OUT')
    expect(two.statistics('a')[0]?.inferenceCount).toBe(1)
  })
})

test('what is not said is as in Triton', () => {
  expect(resolveServerOptions({})).toMatchObject({
    repositories: [],
    modelControl: 'none',
    id: 'triton',
    exitOnError: true,
    exitTimeout: 30,
    strictReadiness: true,
    autoComplete: true,
    loadConcurrency: 4,
    loadRetries: 0,
    rateLimit: 'off',
    rateLimitResources: [],
    cache: undefined,
    gpus: [],
  })
})

test('models run on the GPUs that the Server has', async () => {
  const server = await started(
    {
      'auto/config.pbtxt': config('instance_group { count: 1 }'),
      'auto/1/': '',
      'second/config.pbtxt': config('instance_group { kind: KIND_GPU gpus: 1 }'),
      'second/1/': '',
      'cpu/config.pbtxt': config('instance_group { kind: KIND_CPU }'),
      'cpu/1/': '',
    },
    { gpus: [1, 0] },
  )
  const groups = ['auto', 'second', 'cpu'].map((name) => server.model(name).config.instanceGroup[0])
  expect(groups.map((group) => [group?.kind, group?.gpus])).toEqual([
    ['KIND_GPU', [0, 1]],
    ['KIND_GPU', [1]],
    ['KIND_CPU', []],
  ])
  await expect(server.infer('second', input())).resolves.toHaveProperty('OUT')
})

test.each<[ServerOptions, string]>([
  [{ loadModels: ['a'] }, "loadModels needs modelControl: 'explicit'"],
  [
    { loadModels: ['a', '*'], modelControl: 'explicit' },
    "Wildcard model name '*' must be the ONLY startup model if specified at all.",
  ],
  [{ exitTimeout: -1 }, 'exitTimeout must be 0 or more seconds, got -1'],
  [{ modelLoadThreadCount: 0 }, 'modelLoadThreadCount must be 1 or more, got 0'],
  [{ rateLimit: 'often' as 'off' }, "rateLimit 'often' must be 'off' or 'execution_count'"],
  [{ rateLimitResources: [{ name: '', count: 1 }] }, 'a rate limit resource needs a name'],
  [
    { rateLimitResources: [{ name: 'R', count: 0.5 }] },
    "rate limit resource 'R' must have a count of 0 or more, got 0.5",
  ],
  [
    { rateLimitResources: [{ name: 'R', count: 1, device: -1 }] },
    "the device of rate limit resource 'R' must be 0 or more, got -1",
  ],
  [{ modelConfigName: '../x' }, 'modelConfigName must be a file name without spaces'],
  [{ gpus: [0, -1] }, 'gpus must be ids of 0 or more, got 0, -1'],
  [
    { cache: { ...localCache({ size: 4096 }), lookupTimeout: Number.NaN } },
    'lookupTimeout of the cache must be 0 or more milliseconds, got NaN',
  ],
  [{ backends: [echoBackend(), echoBackend()] }, "two backends are named 'identity'"],
])('options %j are refused', (options, text) => {
  expect(() => new Server(options)).toThrow(text)
})
