import { setImmediate } from 'node:timers/promises'
import { TritonError } from '../../errors.ts'
import { AbortFollowers } from '../../util/abort-followers.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import type { RepositorySource, SourceModel } from '../repository-source.ts'
import { BlobCache } from './blob-cache.ts'
import { type CloudCacheOptions, cachePlace } from './cache-place.ts'
import { CloudModel, type CloudModelContext, notInUse } from './cloud-model.ts'
import type { DownloadProgress } from './download-progress.ts'
import { Lazy } from './lazy.ts'
import { isPath } from './model-tree.ts'
import type { ObjectStore, StoredObject } from './object-store.ts'
import type { TargetFile } from './receive.ts'
import { RetryingStore } from './retrying-store.ts'
import { Uses } from './uses.ts'
import { Workspace } from './workspace.ts'

export interface CloudSourceOptions {
  /** Called at the first use of the source; once more when that failed. */
  readonly openStore: (path: string) => Promise<ObjectStore>
  readonly cache?: CloudCacheOptions | undefined
  readonly clock: Clock
  readonly logger: Logger
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined
  /** Between 0 and 1, for the jitter of delays. Default `Math.random`. */
  readonly random?: (() => number) | undefined
  /** Opens a file of the cache for writing. Default: that of the system. */
  readonly openFile?: ((path: string) => Promise<TargetFile>) | undefined
}

/** Objects or models that are looked at in one turn of the event loop. */
const slice = 200

/** A prefix in a bucket: `s3://…`, `gs://…` or `as://…`. What is loaded of it lies in a cache on this machine. */
export class CloudSource implements RepositorySource {
  readonly path: string
  readonly #store: RetryingStore
  readonly #context: CloudModelContext
  readonly #logger: Logger
  readonly #refused = new Set<string>()
  /** Ends questions that came without a signal. */
  readonly #ending = new AbortController()

  /** @throws TritonError INVALID_ARG for a `maxBytes` that is not a number of 0 or more. */
  constructor(path: string, options: CloudSourceOptions) {
    const { clock, logger, onProgress, openFile } = options
    const { directory, maxBytes } = options.cache ?? {}
    if (maxBytes !== undefined && !(maxBytes >= 0))
      throw new TritonError('INVALID_ARG', `maxBytes of the cloud cache must be a number of 0 or more, got ${maxBytes}`)
    this.path = path
    this.#logger = logger
    const store = new RetryingStore(path, { ...options, random: options.random ?? Math.random })
    this.#store = store
    const openCache = async () => {
      const place = await cachePlace(path, directory)
      const workspace = await Workspace.open(place, logger)
      return { workspace, blobs: new BlobCache(place, { store, workspace, clock, logger, maxBytes, openFile }) }
    }
    const cache = new Lazy(openCache)
    const uses = new Uses(async () => {
      const made = await cache.started?.catch(() => undefined)
      await made?.workspace.dispose()
      await store.dispose()
    })
    this.#context = { path, uses, cache, followers: new AbortFollowers(), clock, logger, onProgress }
  }

  async models(signal?: AbortSignal): Promise<string[]> {
    const names = await this.#store.directories(signal ?? this.#ending.signal)
    return names.filter((name) => this.#isPath(`${name}/`)).sort()
  }

  async look(model: string, signal?: AbortSignal): Promise<SourceModel | undefined> {
    if (model.includes('/') || !isPath(model)) return undefined
    return (await this.#list(`${model}/`, signal)).get(model)
  }

  async lookAll(signal?: AbortSignal): Promise<ReadonlyMap<string, SourceModel>> {
    return this.#list('', signal)
  }

  /** The files of models that are here, or on their way, stay until these are given back. */
  async dispose(): Promise<void> {
    this.#ending.abort(notInUse(this.path))
    await this.#context.uses.close()
  }

  /** Lets others run now and then: a repository may have many thousand models. */
  async #list(prefix: string, signal = this.#ending.signal): Promise<Map<string, CloudModel>> {
    const objects = await this.#store.list(prefix, signal)
    const byModel = new Map<string, StoredObject[]>()
    for (const [at, object] of objects.entries()) {
      if (at % slice === slice - 1) await turn(signal)
      const slash = object.key.indexOf('/')
      if (slash === -1 || !this.#isPath(object.key)) continue
      const model = object.key.slice(0, slash)
      const others = byModel.get(model)
      if (others === undefined) byModel.set(model, [object])
      else others.push(object)
    }
    const models = new Map<string, CloudModel>()
    for (const [name, found] of byModel) {
      if (models.size % slice === slice - 1) await turn(signal)
      models.set(name, new CloudModel(name, found, this.#context))
    }
    return models
  }

  /** Warns once of a key that cannot be a path below the repository. */
  #isPath(key: string): boolean {
    if (isPath(key)) return true
    if (!this.#refused.has(key)) {
      this.#refused.add(key)
      this.#logger.warn({ key }, `ignoring '${key}' in '${this.path}', which is not the path of a file`)
    }
    return false
  }
}

async function turn(signal: AbortSignal): Promise<void> {
  await setImmediate()
  signal.throwIfAborted()
}
