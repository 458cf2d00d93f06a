import { UsageError } from '../flags/usage-error.ts'

/** Settings of caches by name: `{ local: { size: '1048576' } }`. */
export type CacheConfig = Readonly<Record<string, Readonly<Record<string, string>>>>

const known = new Map([
  ['local', ['size']],
  [
    'redis',
    [
      ...['host', 'port', 'user', 'password', 'db', 'connect_timeout', 'socket_timeout', 'expiry_seconds'],
      ...['tls_enabled', 'cert', 'key', 'cacert', 'sni'],
    ],
  ],
])

/**
 * Reads `--cache-config`: `<cache>,<key>=<value>`.
 * @throws UsageError
 */
export function cacheConfig(settings: readonly string[]): CacheConfig {
  const config = new Map<string, Record<string, string>>()
  for (const setting of settings) {
    if (!/^[^,]+,/.test(setting)) {
      throw new UsageError(
        `No cache specified. --cache-config option format is <cache name>,<setting>=<value>. Got ${setting}`,
        'cache-config',
      )
    }
    const [, cache, key, value] = /^([^,]+),([^=]+)=(.+)$/s.exec(setting) ?? []
    if (cache === undefined || key === undefined || value === undefined) {
      throw new UsageError(
        `--cache-config option format is '<cache name>,<setting>=<value>'. Got ${setting}`,
        'cache-config',
      )
    }
    config.set(cache, { ...config.get(cache), [key]: value })
  }
  return Object.fromEntries(config)
}

/** One line for each setting that changes nothing. */
export function cacheNotices(config: CacheConfig): string[] {
  return Object.entries(config).flatMap(([cache, settings]) =>
    Object.keys(settings)
      .filter((key) => known.get(cache)?.includes(key) === false)
      .map((key) => `--cache-config=${cache},${key} has no effect: the cache has no such setting`),
  )
}
