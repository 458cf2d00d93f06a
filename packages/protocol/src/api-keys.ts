import { readFile } from 'node:fs/promises'
import { type Clock, type Logger, silentLogger, systemClock, TritonError } from '@triton-ts/core'
import { type KeyScope, keyDigest, readApiKeys } from './api-key-list.ts'
import type { AccessApi, AccessCall, Authorize } from './authorize.ts'

export interface ApiKeyOptions {
  /** APIs that need no key, `health` for the probes of a load balancer. Default: none. */
  readonly exemptApis?: readonly AccessApi[] | undefined
  /** Hears when keys are read again, and why they cannot be. Default: silent. */
  readonly logger?: Logger | undefined
  /** Default: the system's. */
  readonly clock?: Clock | undefined
}

/** Milliseconds that keys are good for without a look at their file. */
const lookInterval = 1000

/**
 * Authorizes calls that show a key of a file, as `Authorization: Bearer <key>` or `X-API-Key: <key>`. The file has a key
 * a line, `[<name>: ]<key>[ <api>,<api>...]`, where a list of APIs is all that the key is good for; lines that begin with
 * `#` do not count. Memory holds digests alone.
 *
 * A change of the file holds for calls from a second later on. A file that is gone or cannot be understood then changes
 * nothing, and is logged.
 * @throws TritonError INVALID_ARG for a file that cannot be read or understood.
 */
export async function apiKeys(file: string, options: ApiKeyOptions = {}): Promise<Authorize> {
  const keys = new ApiKeyFile(file, options)
  await keys.open()
  return (call) => keys.authorize(call)
}

class ApiKeyFile {
  readonly #file: string
  readonly #exempt: ReadonlySet<AccessApi>
  readonly #logger: Logger
  readonly #clock: Clock
  #scopes: ReadonlyMap<string, KeyScope> = new Map()
  /** Of what the file held when it was looked at last. */
  #content = ''
  #failure: string | undefined
  #lookedAt = 0
  #looking: Promise<void> | undefined

  constructor(file: string, { exemptApis = [], logger = silentLogger, clock = systemClock }: ApiKeyOptions) {
    this.#file = file
    this.#exempt = new Set(exemptApis)
    this.#logger = logger
    this.#clock = clock
  }

  async open(): Promise<void> {
    try {
      await this.#read()
    } catch (error) {
      const text = `API keys cannot be read from '${this.#file}': ${(error as Error).message}`
      throw new TritonError('INVALID_ARG', text, { cause: error })
    }
    this.#lookedAt = this.#clock.now()
  }

  authorize(call: AccessCall): boolean | Promise<boolean> {
    if (this.#exempt.has(call.api)) return true
    if (this.#clock.now() - this.#lookedAt < lookInterval) return this.#isGood(call)
    this.#looking ??= this.#look()
    return this.#looking.then(() => this.#isGood(call))
  }

  #isGood(call: AccessCall): boolean {
    const bearer = /^Bearer +(\S+)$/i.exec(call.header('authorization') ?? '')?.[1]
    return this.#allows(bearer, call.api) || this.#allows(call.header('x-api-key'), call.api)
  }

  #allows(key: string | undefined, api: AccessApi): boolean {
    if (key === undefined) return false
    const digest = keyDigest(key)
    return this.#scopes.has(digest) && (this.#scopes.get(digest)?.has(api) ?? true)
  }

  /** Looks whether the file has changed; the old keys stay where it cannot be read. */
  async #look(): Promise<void> {
    try {
      if (await this.#read())
        this.#logger.info({ path: this.#file, keys: this.#scopes.size }, 'API keys were read again')
      this.#failure = undefined
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#failure) this.#logger.error({ err: error, path: this.#file }, 'API keys stay as they were')
      this.#failure = message
    }
    this.#lookedAt = this.#clock.now()
    this.#looking = undefined
  }

  /** Whether there was something new. The whole file is read: times and sizes do not tell of every change. */
  async #read(): Promise<boolean> {
    const text = await readFile(this.#file, 'utf8')
    const content = keyDigest(text)
    if (content === this.#content) return false
    this.#scopes = readApiKeys(text)
    this.#content = content
    return true
  }
}
