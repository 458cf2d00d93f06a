import { createClient, RESP_TYPES } from '@redis/client'
import { type Logger, TritonError } from '@triton-ts/core'
import { longestTime, type ResolvedRedisOptions } from './redis-options.ts'

/** The commands that the cache needs, on a connection that is made anew when it breaks. */
export interface RedisConnection {
  readonly isReady: boolean
  readonly get: (key: string) => Promise<Buffer | null>
  /** False when the key was there and is not to be replaced. */
  readonly set: (key: string, value: Buffer, replace: boolean) => Promise<boolean>
  close(): void
}

/** @throws TritonError INTERNAL when Redis cannot be reached or refuses. */
export async function connect(
  options: ResolvedRedisOptions,
  logger: Logger,
  signal: AbortSignal,
): Promise<RedisConnection> {
  const { host, port, expirySeconds, connectTimeout } = options
  let isConnected = false
  let isSilent = false
  let isLost = false
  const client = makeClient(options, (retries) => isConnected && Math.min(50 * 2 ** retries, 2000))
  client.on('error', (err: Error) => {
    if (!isConnected || isLost) return
    isLost = true
    logger.error({ err }, `lost the connection to Redis (${host}:${port}), every request runs: ${errorText(err)}`)
  })
  client.on('ready', () => {
    if (isLost) logger.info({}, `connected to Redis (${host}:${port}) again`)
    isLost = false
  })
  const close = (): void => {
    if (client.isOpen) client.destroy()
  }
  // The client's own limit ends when the socket is connected, though nobody may answer there. 0 is none.
  const silence =
    connectTimeout > 0 &&
    setTimeout(() => {
      isSilent = true
      close()
    }, connectTimeout)
  signal.addEventListener('abort', close)
  try {
    await client.connect()
    await client.ping()
    isConnected = true
  } catch (cause) {
    close()
    const text = isSilent ? `no answer within ${connectTimeout} ms` : errorText(cause)
    const reason = `failed to connect to Redis (${host}:${port}): ${text}`
    throw new TritonError('INTERNAL', `Failed to initialize RedisCache: ${reason}`, { cause })
  } finally {
    if (silence) clearTimeout(silence)
    signal.removeEventListener('abort', close)
  }
  const expiration = expirySeconds === undefined ? {} : { expiration: { type: 'EX', value: expirySeconds } as const }
  return {
    get isReady() {
      return client.isReady
    },
    get: (key) => client.get(key),
    set: async (key, value, replace) =>
      (await client.set(key, value, replace ? expiration : { ...expiration, condition: 'NX' })) !== null,
    close,
  }
}

/**
 * Values are bytes. A command that cannot be sent fails at once, instead of waiting for a connection. A connection whose
 * other end vanished without a word would be kept for a quarter of an hour; so it is given up when pings get no answer.
 */
function makeClient(
  { host, port, user, password, db, connectTimeout, socketTimeout, tls }: ResolvedRedisOptions,
  reconnectStrategy: (retries: number) => false | number,
) {
  const silence = Math.min(30 * socketTimeout, longestTime)
  const socket = { host, port, connectTimeout, socketTimeout: silence, reconnectStrategy }
  return createClient({
    RESP: 2,
    socket: tls ? { ...socket, ...(tls === true ? {} : tls), tls: true } : socket,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    ...(db === undefined ? {} : { database: db }),
    pingInterval: silence / 3,
    disableOfflineQueue: true,
    disableClientInfo: true,
    commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
  })
}

/** Where a name has several addresses, the error of all of them has no text of its own. */
function errorText(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(errorText))].join('; ')
  return error instanceof Error ? error.message : String(error)
}
