import { mkdir, open, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { BlobCheck } from './blob-check.ts'
import { type BlobFile, blobFile, errorCode, linkOrCopy } from './blob-file.ts'
import { BlobShelves } from './blob-shelves.ts'
import { isFull, noRoom } from './full-disk.ts'
import type { StoredObject } from './object-store.ts'
import { OneAtATime } from './one-at-a-time.ts'
import type { TargetFile } from './receive.ts'
import type { RetryingStore } from './retrying-store.ts'
import { Turns } from './turns.ts'
import type { Workspace } from './workspace.ts'

export interface BlobCacheOptions {
  readonly store: RetryingStore
  readonly workspace: Workspace
  readonly clock: Clock
  readonly logger: Logger
  readonly maxBytes: number | undefined
  /** Makes a file that is not there yet. Default: that of the system. */
  readonly openFile: ((path: string) => Promise<TargetFile>) | undefined
}

export interface TakeOptions {
  readonly signal: AbortSignal
  /** Hears how many bytes have come; a new try begins with 0 again. Not called for what is in the cache. */
  readonly onSize: (size: number) => void
}

/** The contents of a repository's objects in a cache directory, which other sources and processes may use at the same time. */
export class BlobCache {
  readonly #directory: string
  readonly #options: BlobCacheOptions
  readonly #shelves: BlobShelves
  readonly #turns = new Turns()
  readonly #check = new BlobCheck(this.#turns)
  readonly #oneAtATime = new OneAtATime()
  readonly #openFile: (path: string) => Promise<TargetFile>
  #hasGrown = false

  constructor(directory: string, options: BlobCacheOptions) {
    this.#directory = directory
    this.#options = options
    this.#shelves = new BlobShelves(directory, options.logger)
    this.#openFile = options.openFile ?? ((path) => open(path, 'wx', 0o400))
  }

  /**
   * Makes the file `target` with the content of an object, and resolves with whether it was in the cache. As long as the disk
   * is full, what no model uses is removed.
   * @throws TritonError of the store or for a full disk; errors of the file system; the reason of the aborted signal.
   */
  async take(object: StoredObject, target: string, options: TakeOptions): Promise<boolean> {
    const blob = blobFile(this.#directory, this.#options.store.path, object)
    return this.#oneAtATime.run(blob.path, options.signal, async () => {
      for (;;) {
        try {
          return await this.#take(object, blob, target, options)
        } catch (error) {
          if (!isFull(error)) throw error
          await rm(target, { force: true })
          const freed = await this.#shelves.free(Math.max(object.size, 1))
          if (freed === 0) throw noRoom(this.#directory, this.#options.store.path, object, error)
        }
      }
    })
  }

  /** Brings the cache back to its size, when something has come since the last time. */
  async trim(): Promise<void> {
    const { maxBytes, logger } = this.#options
    if (maxBytes === undefined || !this.#hasGrown) return
    this.#hasGrown = false
    await this.#shelves.trim(maxBytes).catch((error: unknown) => {
      logger.warn({ err: error }, `failed to remove unused files from the cache directory '${this.#directory}'`)
    })
  }

  async #take(object: StoredObject, blob: BlobFile, target: string, options: TakeOptions): Promise<boolean> {
    const isCached = await this.#link(object, blob, target, options.signal)
    if (!isCached) await this.#fetch(object, blob, target, options)
    await this.#markUsed(blob)
    return isCached
  }

  /** Whether there is a blob; it is then the target, too. */
  async #link(object: StoredObject, blob: BlobFile, target: string, signal: AbortSignal): Promise<boolean> {
    try {
      await linkOrCopy(blob.path, target)
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false
      throw error
    }
    // It has a second name now, so nobody can take it away while it is checked.
    if (await this.#check.isRight(blob, target, object.size, signal)) return true
    const { logger, store } = this.#options
    logger.warn({ path: blob.path }, `'${object.key}' of '${store.path}' is damaged in the cache, fetching it again`)
    for (const path of [target, blob.path, blob.sumPath]) await rm(path, { force: true })
    return false
  }

  async #fetch(object: StoredObject, blob: BlobFile, target: string, { signal, onSize }: TakeOptions): Promise<void> {
    await mkdir(dirname(blob.path), { recursive: true, mode: 0o700 })
    const incoming = this.#options.workspace.path()
    const incomingSum = `${incoming}.sha256`
    const openAnew = async (): Promise<TargetFile> => {
      await rm(incoming, { force: true })
      return this.#openFile(incoming)
    }
    try {
      const sum = await this.#options.store.receive(object, { open: openAnew, onSize, turns: this.#turns }, signal)
      this.#hasGrown = true
      await this.#check.written(blob, incoming)
      // The target first: a file with a second name is in use. Then the sum: what does not match its sum is fetched again.
      await linkOrCopy(incoming, target)
      await writeFile(incomingSum, `${sum}  ${basename(blob.path)}\n`, { mode: 0o600 })
      await rename(incomingSum, blob.sumPath)
      await rename(incoming, blob.path)
    } finally {
      await rm(incoming, { force: true })
      await rm(incomingSum, { force: true })
    }
  }

  /** The time of the sum's file is that of the last use. */
  async #markUsed({ sumPath }: BlobFile): Promise<void> {
    const now = this.#options.clock.wallTime() / 1000
    await utimes(sumPath, now, now).catch(() => {})
  }
}
