import type { ConnectionOptions } from 'node:tls'
import { TritonError } from '@triton-ts/core'

/** Where Redis is and how it is used. */
export interface RedisCacheOptions {
  readonly host: string
  readonly port: number
  /** Default: the user `default`. */
  readonly user?: string | undefined
  readonly password?: string | undefined
  /** Number of the database. Default 0. */
  readonly db?: number | undefined
  /** Milliseconds that connecting may take; 0 is no limit. Default 5000. */
  readonly connectTimeout?: number | undefined
  /**
   * Milliseconds that a request waits for a lookup before it runs instead. A Redis that is silent for so long is not
   * asked again until it answers what it was asked, or until it is connected anew, which is tried after 30 times as
   * long. Default 1000.
   */
  readonly socketTimeout?: number | undefined
  /** Seconds that an entry is kept. Default: until Redis drops it by its own rules. */
  readonly expirySeconds?: number | undefined
  /** Stands before every key. Default `triton-ts:`. */
  readonly keyPrefix?: string | undefined
  /** Encrypts the connection: true, or the certificates for it. */
  readonly tls?: boolean | Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername'> | undefined
}

/** Options with every default in place. */
export interface ResolvedRedisOptions extends RedisCacheOptions {
  readonly connectTimeout: number
  readonly socketTimeout: number
  readonly keyPrefix: string
}

/** What timers can wait. */
export const longestTime = 2 ** 31 - 1

/** @throws TritonError INVALID_ARG for options that cannot be meant. */
export function resolveOptions(options: RedisCacheOptions): ResolvedRedisOptions {
  const { host, port, db, expirySeconds } = options
  const { connectTimeout = 5000, socketTimeout = 1000, keyPrefix = 'triton-ts:' } = options
  const wanted: [string, boolean][] = [
    ['host', typeof host === 'string' && host !== ''],
    ['port', Number.isInteger(port) && port >= 0 && port <= 65535],
    ['db', db === undefined || (Number.isInteger(db) && db >= 0)],
    ['expirySeconds', expirySeconds === undefined || (Number.isInteger(expirySeconds) && expirySeconds > 0)],
    ['connectTimeout', connectTimeout >= 0 && connectTimeout <= longestTime],
    ['socketTimeout', socketTimeout > 0 && socketTimeout <= longestTime],
  ]
  const wrong = wanted.find(([, isFine]) => !isFine)
  if (wrong === undefined) return { ...options, connectTimeout, socketTimeout, keyPrefix }
  throw new TritonError('INVALID_ARG', `Failed to initialize RedisCache: '${wrong[0]}' is not valid`)
}
