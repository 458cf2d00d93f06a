import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Server } from '@triton-ts/core'
import { afterEach, expect, test, vi } from 'vitest'
import { makeCache } from './make-cache.ts'

test('no cache, a local one, and Redis', async () => {
  expect(await makeCache({})).toBeUndefined()
  expect((await makeCache({ local: { size: '8192' } }))?.name).toBe('local')
  const redis = { host: 'localhost', port: '6379', socket_timeout: '50', tls_enabled: 'true', sni: 'redis' }
  expect(await makeCache({ redis })).toMatchObject({ name: 'redis', isShared: true, lookupTimeout: 50 })
})

afterEach(() => {
  vi.unstubAllEnvs()
})

test.each([
  ['in the environment', {}, ['somebody', 'secret']],
  ['in the settings, which come first', { user: 'another', password: 'other' }, ['another', 'other']],
])('credentials of Redis %s', async (_, settings, expected) => {
  vi.stubEnv('TRITONCACHE_REDIS_USERNAME', 'somebody')
  vi.stubEnv('TRITONCACHE_REDIS_PASSWORD', 'secret')
  let heard = ''
  const redis = createServer((socket) => {
    socket.once('data', (data) => {
      heard = data.toString()
      socket.end('-WRONGPASS invalid username-password pair or user is disabled.\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(redis, 'listening')
  const port = String((redis.address() as AddressInfo).port)
  const cache = await makeCache({ redis: { host: '127.0.0.1', port, ...settings } })
  await expect(Server.start({ cache })).rejects.toThrow('Failed to initialize RedisCache')
  expect(heard.split('\r\n')).toEqual(expect.arrayContaining(expected))
  redis.close()
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
