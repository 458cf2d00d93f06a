import type { ParsedFlags } from '../flags/parse-flags.ts'
import { UsageError } from '../flags/usage-error.ts'
import { type NamedSettings, namedSettings } from './named-settings.ts'

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
 * Reads `--cache-config`, `<cache>,<key>=<value>`, or `--response-cache-byte-size` in its place.
 * @throws UsageError
 */
export function cacheConfig({ values, given }: ParsedFlags): NamedSettings {
  const size = values['response-cache-byte-size']
  if (given.has('response-cache-byte-size') && given.has('cache-config')) {
    throw new UsageError(
      'Error: Incompatible flags --response-cache-byte-size and --cache-config both provided. ' +
        'Please provide one or the other.',
    )
  }
  return size === 0 ? namedSettings(values['cache-config'], refuse) : { local: { size: String(size) } }
}

function refuse(value: string): never {
  throw new UsageError(
    /^[^,]+,/.test(value)
      ? `--cache-config option format is '<cache name>,<setting>=<value>'. Got ${value}`
      : `No cache specified. --cache-config option format is <cache name>,<setting>=<value>. Got ${value}`,
    'cache-config',
  )
}

/** One line for each setting that changes nothing. */
export function cacheNotices(config: NamedSettings): string[] {
  return Object.entries(config).flatMap(([cache, settings]) =>
    Object.keys(settings)
      .filter((key) => known.get(cache)?.includes(key) === false)
      .map((key) => `--cache-config=${cache},${key} has no effect: the cache has no such setting`),
  )
}
