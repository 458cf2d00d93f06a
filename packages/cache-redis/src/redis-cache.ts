import { type CacheContext, type InsertOptions, type ResponseCache, TritonError } from '@triton-ts/core'
import { connect, type RedisConnection } from './redis-connection.ts'
import { type RedisCacheOptions, type ResolvedRedisOptions, resolveOptions } from './redis-options.ts'

/**
 * Keeps responses in Redis, for all servers that name the same one: they must serve the same models under the same names
 * and versions. Redis decides how much is kept and for how long (`maxmemory`, `maxmemory-policy`).
 *
 * The Server starts only when Redis can be reached. When it goes away later, every request runs until it is back.
 * @throws TritonError INVALID_ARG for options that cannot be meant.
 */
export function redisCache(options: RedisCacheOptions): ResponseCache {
  return new RedisCache(resolveOptions(options))
}

class RedisCache implements ResponseCache {
  readonly name = 'redis'
  readonly isShared = true
  readonly lookupTimeout: number
  readonly #options: ResolvedRedisOptions
  #isInUse = false
  #connection: RedisConnection | undefined
  #now: () => number = () => 0
  /** Commands without an answer, and when Redis last gave one to those before them. */
  #unanswered = 0
  #aliveAt = 0

  constructor(options: ResolvedRedisOptions) {
    this.#options = options
    this.lookupTimeout = options.socketTimeout
  }

  async open({ clock, logger, signal }: CacheContext): Promise<void> {
    if (this.#isInUse) {
      throw new TritonError('INVALID_ARG', 'Failed to initialize RedisCache: it is in use by another Server')
    }
    this.#isInUse = true
    this.#now = () => clock.now()
    try {
      this.#connection = await connect(this.#options, logger, signal)
    } catch (error) {
      this.#isInUse = false
      throw error
    }
  }

  async lookup(key: string): Promise<Uint8Array | undefined> {
    const found = await this.#ask(({ get }) => get(this.#options.keyPrefix + key))
    // The answer is a part of what the socket read, at an odd place.
    return found === undefined || found === null ? undefined : new Uint8Array(found)
  }

  /** Without a connection nothing is stored, which the log has told already. */
  async insert(key: string, entry: Uint8Array, { replace }: InsertOptions): Promise<boolean> {
    const bytes = Buffer.from(entry.buffer, entry.byteOffset, entry.byteLength)
    return (await this.#ask(({ set }) => set(this.#options.keyPrefix + key, bytes, replace))) ?? true
  }

  dispose(): void {
    this.#connection?.close()
    this.#connection = undefined
    this.#isInUse = false
  }

  /** Undefined while there is no connection. */
  async #ask<T>(command: (connection: RedisConnection) => Promise<T>): Promise<T | undefined> {
    if (!this.#connection?.isReady) return undefined
    if (this.#unanswered === 0) this.#aliveAt = this.#now()
    if (this.#now() - this.#aliveAt > this.lookupTimeout) {
      throw new TritonError('UNAVAILABLE', `Redis has not answered for ${this.lookupTimeout} ms`)
    }
    this.#unanswered++
    try {
      return await command(this.#connection)
    } finally {
      this.#unanswered--
      this.#aliveAt = this.#now()
    }
  }
}
