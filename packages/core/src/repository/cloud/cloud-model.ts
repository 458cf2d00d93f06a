import { setMaxListeners } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { TritonError } from '../../errors.ts'
import type { AbortFollowers } from '../../util/abort-followers.ts'
import type { Clock } from '../../util/clock.ts'
import { inLanes } from '../../util/in-lanes.ts'
import type { Logger } from '../../util/logger.ts'
import type { Fingerprint } from '../fingerprint.ts'
import type { ModelDirectory, SourceModel } from '../repository-source.ts'
import type { BlobCache } from './blob-cache.ts'
import { type DownloadProgress, ProgressReport } from './download-progress.ts'
import type { Lazy } from './lazy.ts'
import { type ModelFile, ModelTree } from './model-tree.ts'
import type { StoredObject } from './object-store.ts'
import type { Uses } from './uses.ts'
import type { Workspace } from './workspace.ts'

/** What the models of a source have in common. */
export interface CloudModelContext {
  readonly path: string
  /** Of the source: a model that is here, or on its way, is one. */
  readonly uses: Uses
  readonly cache: Lazy<{ readonly blobs: BlobCache; readonly workspace: Workspace }>
  readonly followers: AbortFollowers
  readonly clock: Clock
  readonly logger: Logger
  readonly onProgress: ((progress: DownloadProgress) => void) | undefined
}

/** Files that are downloaded at the same time. */
const lanes = 16

/** A model as a listing of its bucket showed it. */
export class CloudModel implements SourceModel {
  readonly fingerprint: Fingerprint
  readonly #name: string
  readonly #tree: ModelTree
  readonly #context: CloudModelContext

  constructor(name: string, objects: Iterable<StoredObject>, context: CloudModelContext) {
    this.#name = name
    this.#tree = new ModelTree(objects)
    this.#context = context
    this.fingerprint = this.#tree.fingerprint
  }

  async open(signal?: AbortSignal): Promise<ModelDirectory> {
    const { path, uses, cache, logger } = this.#context
    signal?.throwIfAborted()
    const end = uses.begin()
    if (end === undefined) throw notInUse(path)
    let place: string | undefined
    const dispose = async (): Promise<void> => {
      try {
        if (place !== undefined) await rm(place, { recursive: true, force: true })
      } catch (error) {
        logger.warn(
          { err: error, directory: place },
          `failed to remove the files of model '${this.#name}' from the cache`,
        )
      }
      await end()
    }
    try {
      const { blobs, workspace } = await cache.get()
      place = workspace.path()
      const directory = join(place, this.#name)
      await this.#bring(blobs, directory, signal)
      return { directory, dispose }
    } catch (error) {
      await dispose()
      signal?.throwIfAborted()
      if (error instanceof TritonError) throw error
      const why = error instanceof Error ? error.message : String(error)
      throw new TritonError('INTERNAL', `failed to bring model '${this.#name}' from '${path}': ${why}`, {
        cause: error,
      })
    }
  }

  async #bring(blobs: BlobCache, directory: string, signal?: AbortSignal): Promise<void> {
    const { path: repository, clock, logger, onProgress } = this.#context
    const { files, directories } = this.#tree.contents()
    await mkdir(directory, { recursive: true, mode: 0o700 })
    for (const inner of directories) await mkdir(join(directory, inner), { mode: 0o700 })
    const report = new ProgressReport(files, { repository, model: this.#name, clock, logger, onProgress })
    await this.#inLanes(files, signal, async ({ path, object }, signal) => {
      let size = 0
      const onSize = (now: number): void => {
        report.add(now - size)
        size = now
      }
      report.fileDone(object.size, await blobs.take(object, join(directory, path), { signal, onSize }))
    })
    await blobs.trim()
    report.end()
  }

  /** With the first failure the others are told to end, and have ended when this rejects: nothing writes to a directory that goes. */
  async #inLanes(
    files: readonly ModelFile[],
    outer: AbortSignal | undefined,
    work: (file: ModelFile, signal: AbortSignal) => Promise<void>,
  ) {
    outer?.throwIfAborted()
    const controller = new AbortController()
    setMaxListeners(lanes + 1, controller.signal)
    const unfollow = outer && this.#context.followers.follow(outer, (reason) => controller.abort(reason))
    await inLanes(files, lanes, async (file) => {
      if (controller.signal.aborted) return
      await work(file, controller.signal).catch((error: unknown) => controller.abort(error))
    })
    unfollow?.()
    controller.signal.throwIfAborted()
  }
}

/** Of a repository that was unregistered, or whose Server has stopped. */
export const notInUse = (path: string): TritonError =>
  new TritonError('UNAVAILABLE', `model repository '${path}' is not in use any more`)
