import { TritonError } from '../errors.ts'
import type { KnownModel } from '../polling/repository-changes.ts'
import type { ModelRepository } from '../repository/model-repository.ts'
import type { Logger } from '../util/logger.ts'
import { LiveVersions } from './live-versions.ts'
import { ModelEntry } from './model-entry.ts'
import { ModelNames } from './model-names.ts'
import type { ModelIndexEntry } from './model-state.ts'
import type { ModelVersion } from './model-version.ts'

/** What the models of a Server tell it. A failure without version came before the versions were known. */
export interface LifecycleListener {
  onReady(model: ModelVersion): void
  /** It has other instances than before. */
  onUpdated(model: ModelVersion): void
  onUnavailable(id: string, version: number | undefined, reason: string): void
}

/** What is known of the models of a Server: puts versions into service and takes them out. */
export class ModelEntries {
  readonly live: LiveVersions
  readonly names: ModelNames
  readonly listener: LifecycleListener
  readonly #repository: ModelRepository
  readonly #logger: Logger
  /** By id. */
  readonly #entries = new Map<string, ModelEntry>()
  /** All ids, sorted; undefined when they have changed. */
  #ids: readonly string[] | undefined

  constructor(repository: ModelRepository, listener: LifecycleListener, logger: Logger) {
    this.#repository = repository
    this.listener = listener
    this.#logger = logger
    this.live = new LiveVersions(logger)
    this.names = new ModelNames(repository.hasNamespaces, this.#entries)
  }

  /** @throws TritonError NOT_FOUND or UNAVAILABLE with Triton's texts. */
  find(id: string, version: number): ModelVersion {
    const entry = this.#entries.get(id)
    if (entry !== undefined && !entry.isUnused) return entry.find(version)
    throw new TritonError('NOT_FOUND', `Request for unknown model: '${id}' is not found`)
  }

  get(id: string): ModelEntry | undefined {
    return this.#entries.get(id)
  }

  /** What is to be served, with success or not, by id. */
  known(): ReadonlyMap<string, KnownModel> {
    const known = new Map<string, KnownModel>()
    for (const { id, loaded, isWanted, lacksVersions } of this.#entries.values()) {
      if (!isWanted && !lacksVersions) continue
      known.set(id, { repository: loaded?.repository, fingerprint: loaded?.fingerprint })
    }
    return known
  }

  /** Sorted. */
  get ids(): readonly string[] {
    this.#ids ??= [...this.#entries.keys()].sort()
    return this.#ids
  }

  /** Ready versions of one model, lowest first. */
  readyVersions(id: string): readonly ModelVersion[] {
    return this.#entries.get(id)?.ready ?? []
  }

  /** Every ready version, by id and then version. */
  get ready(): ModelVersion[] {
    return this.ids.flatMap((id) => this.readyVersions(id))
  }

  /** Every model in the repository, directories read afresh; what was never loaded has a name alone. */
  async index(): Promise<ModelIndexEntry[]> {
    return (await this.#repository.list()).flatMap(({ id, name, isDuplicate }): ModelIndexEntry[] => {
      if (isDuplicate) return [{ name, state: 'UNAVAILABLE', reason: 'model appears in two or more repositories' }]
      const entry = this.#entries.get(id)
      return entry === undefined || entry.isUnused ? [{ name }] : entry.index()
    })
  }

  /** Whether every model that was ever to be served is ready or was unloaded on purpose. */
  async isReady(): Promise<boolean> {
    for (const entry of this.#entries.values()) if (!entry.isSound) return false
    const ready = await Promise.all(this.ready.map((model) => model.isReady()))
    return ready.every(Boolean)
  }

  /** Does one thing at a time with a model. */
  async exclusive(id: string, work: (entry: ModelEntry) => Promise<void>): Promise<void> {
    const entry = this.entry(id)
    try {
      await entry.exclusive(() => work(entry))
    } finally {
      this.tidy(entry)
    }
  }

  /** Forgets an entry that says nothing, once nobody waits for it. */
  tidy(entry: ModelEntry): void {
    if (entry.isBlank && entry.isIdle) this.#remove(entry)
  }

  /** Forgets a model that is not to be served, also that it ever was. */
  forget(id: string): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined && !entry.isWanted && entry.isIdle) this.#remove(entry)
  }

  #remove(entry: ModelEntry): void {
    this.#entries.delete(entry.id)
    this.#ids = undefined
    this.names.remove(entry)
  }

  /** The entry of a model, made where there is none. */
  entry(id: string): ModelEntry {
    const known = this.#entries.get(id)
    if (known !== undefined) return known
    const entry = new ModelEntry(id, this.#repository.nameOf(id))
    this.#entries.set(id, entry)
    this.#ids = undefined
    this.names.add(entry)
    return entry
  }

  /** The load of a model came to an end before its versions were known; that is of interest where it never had any. */
  lackVersions(entry: ModelEntry): void {
    entry.lacksVersions ||= entry.isUnused
  }

  /** The versions of a model are known, or no longer of interest. */
  forgiveLack(id: string): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) entry.lacksVersions = false
  }

  serve(entry: ModelEntry, model: ModelVersion): void {
    const { id, version } = model
    entry.lacksVersions = false
    this.live.add(model)
    const before = entry.serve(model)
    if (before !== undefined) this.live.dispose(before)
    this.#logger.info({ model: id, version }, `successfully loaded '${id}' version ${version}`)
    this.listener.onReady(model)
  }

  retire(entry: ModelEntry, version: number): void {
    const model = entry.retire(version)
    if (model === undefined) return
    this.#logger.info({ model: entry.id, version }, `successfully unloaded '${entry.id}' version ${version}`)
    this.listener.onUnavailable(entry.id, version, 'unloaded')
    this.live.dispose(model)
  }
}
