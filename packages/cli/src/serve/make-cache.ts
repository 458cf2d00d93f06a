import { readFile } from 'node:fs/promises'
import { localCache, type ResponseCache, TritonError } from '@triton-ts/core'
import type { NamedSettings } from './named-settings.ts'

type Settings = Readonly<Record<string, string>>

/**
 * The cache that `--cache-config` asks for; undefined without one.
 * @throws TritonError for two caches, one that is not there, or settings that it cannot take.
 */
export async function makeCache(config: NamedSettings): Promise<ResponseCache | undefined> {
  const [first, ...more] = Object.entries(config)
  if (first === undefined) return undefined
  if (more.length > 0) {
    throw new TritonError(
      'INVALID_ARG',
      'found multiple cache configurations, but only a single cache is currently supported',
    )
  }
  const [name, settings] = first
  if (name === 'local') return localCache({ size: Number(settings.size) })
  if (name === 'redis') return redis(settings)
  throw new TritonError(
    'INVALID_ARG',
    `unable to find 'libtritoncache_${name}.so' for cache: libraries are not loaded, 'local' and 'redis' are built in`,
  )
}

/** Loaded only when it is wanted: the client of Redis is large. */
async function redis(settings: Settings): Promise<ResponseCache> {
  const { host, port } = settings
  if (host === undefined || port === undefined) {
    throw new TritonError(
      'INVALID_ARG',
      "Failed to initialize RedisCache, didn't specify address. Must at a minimum specify 'host' and 'port' in the " +
        'configuration - e.g. tritonserver --cache-config redis,host=redis --cache-config redis,port=6379 ' +
        '--model-repository=/models ...',
    )
  }
  const { redisCache } = await import('@triton-ts/cache-redis')
  return redisCache({
    host,
    port: Number(port),
    user: settings.user ?? process.env.TRITONCACHE_REDIS_USERNAME,
    password: settings.password ?? process.env.TRITONCACHE_REDIS_PASSWORD,
    db: number(settings.db),
    connectTimeout: number(settings.connect_timeout),
    // Triton waits for ever by default, and so for 0.
    socketTimeout: number(settings.socket_timeout === '0' ? undefined : settings.socket_timeout),
    expirySeconds: number(settings.expiry_seconds),
    tls: settings.tls_enabled === 'true' ? await certificates(settings) : undefined,
  })
}

const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

async function certificates({ cert, key, cacert, sni }: Settings) {
  return {
    ...(cert !== undefined && { cert: await readFile(cert) }),
    ...(key !== undefined && { key: await readFile(key) }),
    ...(cacert !== undefined && { ca: await readFile(cacert) }),
    ...(sni !== undefined && { servername: sni }),
  }
}
