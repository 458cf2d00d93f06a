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
  /** Milliseconds that connecting may take. Default 5000. */
  readonly connectTimeout?: number | undefined
  /**
   * Milliseconds that a request waits for a lookup before it runs instead. A Redis that is silent for so long is not
   * asked again until it answers what it was asked. Default 1000.
   */
  readonly socketTimeout?: number | undefined
  /** Seconds that an entry is kept. Default: until Redis drops it by its own rules. */
  readonly expirySeconds?: number | undefined
  /** Stands before every key. Default `triton-ts:`. */
  readonly keyPrefix?: string | undefined
  /** Encrypts the connection: true, or the certificates for it. */
  readonly tls?: boolean | Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername'> | undefined
}

/** @throws TritonError INVALID_ARG for options that cannot be meant. */
export function checkOptions({
  host,
  port,
  db,
  expirySeconds,
  connectTimeout,
  socketTimeout,
}: RedisCacheOptions): void {
  const wanted: [string, boolean][] = [
    ['host', typeof host === 'string' && host !== ''],
    ['port', Number.isInteger(port) && port >= 0 && port <= 65535],
    ['db', db === undefined || (Number.isInteger(db) && db >= 0)],
    ['expirySeconds', expirySeconds === undefined || (Number.isInteger(expirySeconds) && expirySeconds > 0)],
    ['connectTimeout', connectTimeout === undefined || connectTimeout >= 0],
    ['socketTimeout', socketTimeout === undefined || socketTimeout > 0],
  ]
  const wrong = wanted.find(([, isFine]) => !isFine)
  if (wrong === undefined) return
  throw new TritonError('INVALID_ARG', `Failed to initialize RedisCache: '${wrong[0]}' is not valid`)
}
