import { expect, test } from 'vitest'
import { makeCache } from './make-cache.ts'

test('no cache, a local one, and Redis', async () => {
  expect(await makeCache({})).toBeUndefined()
  expect((await makeCache({ local: { size: '8192' } }))?.name).toBe('local')
  const redis = { host: 'localhost', port: '6379', socket_timeout: '50', tls_enabled: 'true', sni: 'redis' }
  expect(await makeCache({ redis })).toMatchObject({ name: 'redis', isShared: true, lookupTimeout: 50 })
})

test.each([
  [{ local: { size: '1' }, redis: { host: 'h' } }, 'found multiple cache configurations, but only a single cache'],
  [{ local: { bytes: '1' } }, "Failed to initialize LocalCache: config didn't contain a valid 'size' field."],
  [{ local: { size: 'large' } }, "config didn't contain a valid 'size' field."],
  [{ local: { size: '1' } }, 'Failed to initialize LocalCache: 1 bytes are too few for any response'],
  [{ local: { size: '9007199254740991' } }, 'Failed to initialize LocalCache: failed to allocate buffer'],
  [{ redis: { port: '6379' } }, "Failed to initialize RedisCache, didn't specify address. Must at a minimum specify"],
  [{ redis: { host: 'h', port: 'nonexistent' } }, "Failed to initialize RedisCache: 'port' is not valid"],
  [
    { redis: { host: 'h', port: '1', socket_timeout: 'long' } },
    "Failed to initialize RedisCache: 'socketTimeout' is not",
  ],
  [{ mine: { a: 'b' } }, "unable to find 'libtritoncache_mine.so' for cache"],
])('%j is refused', async (config, text) => {
  await expect(makeCache(config)).rejects.toThrow(text)
})
