import { TritonError } from '../errors.ts'
import { modelId } from '../repository/model-id.ts'
import type { ModelRepository } from '../repository/model-repository.ts'
import type { Logger } from '../util/logger.ts'
import { LiveVersions } from './live-versions.ts'
import { ModelEntry } from './model-entry.ts'
import type { ModelIndexEntry } from './model-state.ts'
import type { ModelVersion } from './model-version.ts'
import type { KnownModel } from './repository-changes.ts'

/** What the models of a Server tell it. A failure without version came before the versions were known. */
export interface LifecycleListener {
  onReady(model: ModelVersion): void
  onUnavailable(id: string, version: number | undefined, reason: string): void
}

/** What is known of the models of a Server: puts versions into service and takes them out. */
export class ModelEntries {
  readonly live: LiveVersions
  readonly listener: LifecycleListener
  readonly #repository: ModelRepository
  readonly #logger: Logger
  /** By id. */
  readonly #entries = new Map<string, ModelEntry>()
  /** Models whose last load did not get as far as their versions; they keep the Server from being ready. */
  readonly #versionless = new Set<string>()

  constructor(repository: ModelRepository, listener: LifecycleListener, logger: Logger) {
    this.#repository = repository
    this.listener = listener
    this.#logger = logger
    this.live = new LiveVersions(logger)
  }

  /** @throws TritonError NOT_FOUND or UNAVAILABLE with Triton's texts. */
  find(id: string, version: number): ModelVersion {
    const entry = this.#entries.get(id)
    if (entry !== undefined && !entry.isUnused) return entry.find(version)
    throw new TritonError('NOT_FOUND', `Request for unknown model: '${id}' is not found`)
  }

  /**
   * The id of the model that is meant by a name, which may be an id itself.
   * @param namespace of who says it: a model there comes first.
   * @throws TritonError INVALID_ARG with Triton's texts, where names are told apart by repository.
   */
  idOf(name: string, namespace: string): string {
    if (!this.#repository.hasNamespaces || this.#entries.has(name)) return name
    const own = modelId(namespace, name)
    if (this.#entries.get(own)?.isWanted) return own
    const ids = this.idsOf(name)
    if (ids.length === 1) return ids[0] as string
    const text =
      ids.length === 0
        ? `Request for unknown model: '${name}' is not found`
        : `There are ${ids.length} identifiers of model '${name}' in global map, ` +
          'model namespace must be provided to resolve ambiguity.'
    throw new TritonError('INVALID_ARG', text)
  }

  /** The ids of the models of a name that somebody wants to be served. */
  idsOf(name: string): string[] {
    return [...this.#entries.values()].filter((entry) => entry.name === name && entry.isWanted).map(({ id }) => id)
  }

  get(id: string): ModelEntry | undefined {
    return this.#entries.get(id)
  }

  get all(): Iterable<ModelEntry> {
    return this.#entries.values()
  }

  /** What is to be served, with success or not, by id. */
  known(): ReadonlyMap<string, KnownModel> {
    const known = new Map<string, KnownModel>()
    for (const id of this.#versionless) known.set(id, { repository: undefined, fingerprint: undefined })
    for (const { id, loaded, isWanted } of this.#entries.values()) {
      if (isWanted) known.set(id, { repository: loaded?.repository, fingerprint: loaded?.fingerprint })
    }
    return known
  }

  get ids(): string[] {
    return [...this.#entries.keys()].sort()
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
    if (this.#versionless.size > 0) return false
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
    const isBlank = entry.isUnused && entry.failure === undefined && !entry.isExplicit
    if (isBlank && entry.isIdle) this.#entries.delete(entry.id)
  }

  /** The entry of a model, made where there is none. */
  entry(id: string): ModelEntry {
    const entry = this.#entries.get(id) ?? new ModelEntry(id, this.#repository.nameOf(id))
    this.#entries.set(id, entry)
    return entry
  }

  /** The load of a model came to an end before its versions were known; that is of interest where it never had any. */
  lackVersions(entry: ModelEntry): void {
    if (entry.isUnused) this.#versionless.add(entry.id)
  }

  /** The versions of a model are known, or no longer of interest. */
  forgiveLack(id: string): void {
    this.#versionless.delete(id)
  }

  serve(entry: ModelEntry, model: ModelVersion): void {
    const { id, version } = model
    this.live.add(model)
    this.#versionless.delete(id)
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
