import { type Logger, type ResponseCache, Server, type ServerOptions, silentLogger, systemClock } from '@triton-ts/core'
import { echoBackend, modelRepository, virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { DeafServer } from './fixtures/deaf-server.ts'
import { missingRedis, RedisServer, until } from './fixtures/redis-server.ts'
import { type RedisCacheOptions, redisCache } from './index.ts'

const missing = missingRedis()
if (missing !== undefined) console.log(`skipped: ${missing}`)

const config = `
  backend: "identity" response_cache { enable: true }
  input { name: "IN" data_type: TYPE_STRING dims: -1 } output { name: "OUT" data_type: TYPE_STRING dims: -1 }`

const localhost = '127.0.0.1'

/** A Server on this Redis, with a model `m` that echoes. */
async function serve(
  { port }: { readonly port: number },
  options: Partial<RedisCacheOptions> = {},
  more: Pick<ServerOptions, 'clock' | 'logger'> = {},
) {
  const repository = await modelRepository({ 'm/config.pbtxt': config, 'm/1/': '' })
  const cache = redisCache({ host: localhost, port, ...options })
  const server = new Server({ modelRepository: repository.path, backends: [echoBackend()], cache, ...more })
  await server.start().finally(() => repository[Symbol.asyncDispose]())
  const infer = async (text: string) => (await server.infer('m', { IN: [text] })).OUT?.strings()
  const counts = () => {
    const { executionCount, inferenceStats } = server.statistics('m')[0] as ReturnType<Server['statistics']>[number]
    return { runs: executionCount, hits: inferenceStats.cacheHit.count, misses: inferenceStats.cacheMiss.count }
  }
  return { server, infer, counts, [Symbol.asyncDispose]: () => server.stop() }
}

/** A cache without a Server around it. */
async function opened(options: RedisCacheOptions): Promise<ResponseCache> {
  const cache = redisCache(options)
  await cache.open?.({ clock: systemClock, logger: silentLogger, signal: new AbortController().signal })
  return cache
}

const options = { signal: new AbortController().signal }

describe.skipIf(missing !== undefined)('with a real Redis', () => {
  test('bytes come back as they went', async () => {
    await using redis = await RedisServer.start()
    const cache = await opened({ host: localhost, port: redis.port })
    const entry = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251)
    expect(await cache.lookup('k', options)).toBeUndefined()
    expect(await cache.insert('k', entry, { replace: false })).toBe(true)
    const found = await cache.lookup('k', options)
    expect(Buffer.compare(found as Uint8Array, entry)).toBe(0)
    expect(found?.byteOffset).toBe(0)
    expect(await cache.insert('k', new Uint8Array([1]), { replace: false })).toBe(false)
    expect(await cache.insert('k', new Uint8Array([2]), { replace: true })).toBe(true)
    expect(await cache.lookup('k', options)).toEqual(new Uint8Array([2]))
    await cache.dispose()
  })

  test('one value serves one Server, also when two start at the same time', async () => {
    await using redis = await RedisServer.start()
    const cache = redisCache({ host: localhost, port: redis.port })
    const [one, other] = await Promise.allSettled([Server.start({ cache }), Server.start({ cache })])
    expect(other).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('in use by another') },
    })
    if (one.status === 'fulfilled') await one.value.stop()
    await (await Server.start({ cache })).stop()
  })

  test('databases, prefixes and expiry', async () => {
    await using redis = await RedisServer.start()
    const at = { host: localhost, port: redis.port }
    const usual = await opened(at)
    const others = [await opened({ ...at, db: 1 }), await opened({ ...at, keyPrefix: 'other:' })]
    const brief = await opened({ ...at, expirySeconds: 1 })
    await usual.insert('k', new Uint8Array([1]), { replace: false })
    for (const other of others) expect(await other.lookup('k', options)).toBeUndefined()
    await brief.insert('brief', new Uint8Array([1]), { replace: false })
    expect(await usual.lookup('brief', options)).toBeDefined()
    await until(async () => (await usual.lookup('brief', options)) === undefined)
    expect(await usual.lookup('k', options)).toBeDefined()
    for (const cache of [usual, brief, ...others]) await cache.dispose()
  })

  test('two Servers share it, and it outlives them', async () => {
    await using redis = await RedisServer.start()
    {
      await using one = await serve(redis)
      await using other = await serve(redis)
      expect(await one.infer('a')).toEqual(['a'])
      await until(() => one.counts().misses === 1)
      expect(await other.infer('a')).toEqual(['a'])
      expect(await other.infer('b')).toEqual(['b'])
      expect([one.counts(), other.counts()]).toMatchObject([{ hits: 0 }, { runs: 1, hits: 1 }])
    }
    await using later = await serve(redis)
    expect(await later.infer('b')).toEqual(['b'])
    expect(later.counts()).toEqual({ runs: 0, hits: 1, misses: 0 })
  })

  test('killed while serving: requests run; when it is back they are answered from it again', async () => {
    const lines: string[] = []
    const logger: Logger = {
      ...silentLogger,
      info: (_, text) => lines.push(text),
      error: (_, text) => lines.push(text),
    }
    const first = await RedisServer.start()
    await using serving = await serve(first, {}, { logger })
    await serving.infer('a')
    await first.kill()
    for (let i = 0; i < 20; i++) expect(await serving.infer('a')).toEqual(['a'])
    const lost = `lost the connection to Redis (127.0.0.1:${first.port}), every request runs`
    await until(() => lines.some((line) => line.startsWith(lost)))
    await using _second = await RedisServer.start({ port: first.port })
    await until(async () => {
      expect(await serving.infer('a')).toEqual(['a'])
      return serving.counts().hits > 0
    })
    // A dying Redis may take one more connection, which is lost as well: they are told in turn, however often.
    const again = `connected to Redis (127.0.0.1:${first.port}) again`
    const told = lines.filter((line) => line.startsWith(lost) || line === again)
    expect(told.map((line) => line === again)).toEqual(told.map((_, i) => i % 2 === 1))
    expect(told.at(-1)).toBe(again)
  })

  test('frozen while serving: a request waits for its time, those after it not at all', async () => {
    await using redis = await RedisServer.start()
    const clock = virtualClock()
    await using serving = await serve(redis, { socketTimeout: 100 }, { clock })
    await serving.infer('a')
    redis.freeze()
    const waiting = serving.infer('a')
    await clock.advance(101)
    expect(await waiting).toEqual(['a'])
    for (let i = 0; i < 20; i++) expect(await serving.infer('a')).toEqual(['a'])
    redis.thaw()
    await until(async () => {
      await serving.infer('a')
      return serving.counts().hits > 0
    })
  })

  test('vanished without closing the connection: it is connected anew', async () => {
    await using redis = await RedisServer.start()
    await using network = await DeafServer.start(redis.port)
    await using serving = await serve(network, { socketTimeout: 10 })
    await serving.infer('a')
    network.forget()
    await until(async () => {
      expect(await serving.infer('a')).toEqual(['a'])
      return serving.counts().hits > 0
    })
  })

  test('a connection that nobody uses is kept', async () => {
    await using redis = await RedisServer.start()
    await using network = await DeafServer.start(redis.port)
    await using _serving = await serve(network, { socketTimeout: 20 })
    const before = network.heard
    await until(() => network.heard >= before + 4)
    expect(network.connections).toBe(1)
  })

  test('a Server stops while Redis is frozen', async () => {
    await using redis = await RedisServer.start()
    const serving = await serve(redis, { socketTimeout: 100 })
    redis.freeze()
    await serving.infer('a')
    await serving.server.stop()
  })

  test('an entry that somebody spoiled is a miss', async () => {
    await using redis = await RedisServer.start()
    await using serving = await serve(redis)
    const cache = await opened({ host: localhost, port: redis.port })
    const keys: string[] = []
    const spy: ResponseCache = {
      name: 'spy',
      isShared: true,
      lookup: () => undefined,
      insert: (key) => {
        keys.push(key)
        return true
      },
      dispose: () => {},
    }
    const repository = await modelRepository({ 'm/config.pbtxt': config, 'm/1/': '' })
    await using _repository = repository
    await using spied = await Server.start({ modelRepository: repository.path, backends: [echoBackend()], cache: spy })
    await spied.infer('m', { IN: ['a'] })
    await cache.insert(keys[0] as string, new Uint8Array([1, 2, 3]), { replace: true })
    expect(await serving.infer('a')).toEqual(['a'])
    await until(() => serving.counts().misses === 1)
    expect(await serving.infer('a')).toEqual(['a'])
    expect(serving.counts()).toEqual({ runs: 1, hits: 1, misses: 1 })
    await cache.dispose()
  })

  describe('passwords', () => {
    const flags = ['--requirepass', 'redis123!']

    test('the right one', async () => {
      await using redis = await RedisServer.start({ flags })
      await (await opened({ host: localhost, port: redis.port, password: 'redis123!' })).dispose()
      await (await opened({ host: localhost, port: redis.port, user: 'default', password: 'redis123!' })).dispose()
    })

    test.each([
      ['a wrong one', { password: 'wrong' }, 'WRONGPASS'],
      ['none', {}, 'NOAUTH Authentication required'],
    ])('%s keeps the Server from starting', async (_, credentials, text) => {
      await using redis = await RedisServer.start({ flags })
      await expect(serve(redis, credentials)).rejects.toThrow(text)
    })
  })
})

describe('without Redis', () => {
  test('somebody listens but never answers', async () => {
    await using silent = await DeafServer.start()
    await expect(opened({ host: localhost, port: silent.port, connectTimeout: 50 })).rejects.toThrow(
      `failed to connect to Redis (127.0.0.1:${silent.port}): no answer within 50 ms`,
    )
  })

  test('a start that is given up while nobody answers', async () => {
    await using silent = await DeafServer.start()
    const caller = new AbortController()
    const cache = redisCache({ host: localhost, port: silent.port, connectTimeout: 0 })
    const started = new Server({ cache }).start({ signal: caller.signal })
    caller.abort()
    await expect(started).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  test.each([
    ['nothing listens', { host: localhost, port: 1 }, 'failed to connect to Redis (127.0.0.1:1): connect ECONNREFUSED'],
    ['nobody has that name', { host: 'nonexistent.invalid', port: 6379 }, 'getaddrinfo'],
  ])('a Server does not start: %s', async (_, at, text) => {
    const error = await Server.start({ cache: redisCache(at) }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('Failed to initialize RedisCache'),
    })
    expect((error as Error).message).toContain(text)
  })

  test.each([
    [{ host: '', port: 1 }, "'host'"],
    [{ host: 'h', port: Number.NaN }, "'port'"],
    [{ host: 'h', port: 70_000 }, "'port'"],
    [{ host: 'h', port: 1, db: -1 }, "'db'"],
    [{ host: 'h', port: 1, expirySeconds: 0 }, "'expirySeconds'"],
    [{ host: 'h', port: 1, socketTimeout: 0 }, "'socketTimeout'"],
    [{ host: 'h', port: 1, connectTimeout: Number.POSITIVE_INFINITY }, "'connectTimeout'"],
  ])('options that cannot be meant: %o', (wrong, text) => {
    expect(() => redisCache(wrong)).toThrow(`Failed to initialize RedisCache: ${text} is not valid`)
  })
})
