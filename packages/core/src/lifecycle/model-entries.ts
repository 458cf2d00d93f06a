import { TritonError } from '../errors.ts'
import type { ModelRepository } from '../repository/model-repository.ts'
import type { Logger } from '../util/logger.ts'
import { LiveVersions } from './live-versions.ts'
import { ModelEntry } from './model-entry.ts'
import type { ModelIndexEntry } from './model-state.ts'
import type { ModelVersion } from './model-version.ts'

/** What the models of a Server tell it. A failure without version came before the versions were known. */
export interface LifecycleListener {
  onReady(model: ModelVersion): void
  onUnavailable(name: string, version: number | undefined, reason: string): void
}

/** What is known of the models of a Server, by name: puts versions into service and takes them out. */
export class ModelEntries {
  readonly live: LiveVersions
  readonly listener: LifecycleListener
  readonly #logger: Logger
  readonly #entries = new Map<string, ModelEntry>()
  /** Models whose last load did not get as far as their versions; they keep the Server from being ready. */
  readonly #versionless = new Set<string>()

  constructor(listener: LifecycleListener, logger: Logger) {
    this.listener = listener
    this.#logger = logger
    this.live = new LiveVersions(logger)
  }

  /** @throws TritonError NOT_FOUND or UNAVAILABLE with Triton's texts. */
  find(name: string, version: number): ModelVersion {
    const entry = this.#entries.get(name)
    if (entry !== undefined && !entry.isUnused) return entry.find(version)
    throw new TritonError('NOT_FOUND', `Request for unknown model: '${name}' is not found`)
  }

  get(name: string): ModelEntry | undefined {
    return this.#entries.get(name)
  }

  get names(): string[] {
    return [...this.#entries.keys()].sort()
  }

  /** Ready versions of one model, lowest first. */
  readyVersions(name: string): readonly ModelVersion[] {
    return this.#entries.get(name)?.ready ?? []
  }

  /** Every ready version, by name and then version. */
  get ready(): ModelVersion[] {
    return this.names.flatMap((name) => this.readyVersions(name))
  }

  /** Every model in the repository, directories read afresh; what was never loaded has a name alone. */
  async index(repository: ModelRepository): Promise<ModelIndexEntry[]> {
    const names = await repository.names()
    const lists = await Promise.all(names.map((name) => this.#indexOf(name, repository)))
    return lists.flat()
  }

  async #indexOf(name: string, repository: ModelRepository): Promise<ModelIndexEntry[]> {
    if ((await repository.find(name)) === 'duplicate') {
      return [{ name, state: 'UNAVAILABLE', reason: 'model appears in two or more repositories' }]
    }
    const entry = this.#entries.get(name)
    return entry === undefined || entry.isUnused ? [{ name }] : entry.index()
  }

  /** Whether every model that was ever to be served is ready or was unloaded on purpose. */
  async isReady(): Promise<boolean> {
    if (this.#versionless.size > 0) return false
    for (const entry of this.#entries.values()) if (!entry.isSound) return false
    const ready = await Promise.all(this.ready.map((model) => model.isReady()))
    return ready.every(Boolean)
  }

  /** Does one thing at a time with a model. */
  async exclusive(name: string, work: (entry: ModelEntry) => Promise<void>): Promise<void> {
    const entry = this.entry(name)
    try {
      await entry.exclusive(() => work(entry))
    } finally {
      this.tidy(entry)
    }
  }

  /** Forgets an entry that says nothing, once nobody waits for it. */
  tidy(entry: ModelEntry): void {
    const isBlank = entry.isUnused && entry.failure === undefined && !entry.isExplicit
    if (isBlank && entry.isIdle) this.#entries.delete(entry.name)
  }

  /** The entry of a model, made where there is none. */
  entry(name: string): ModelEntry {
    const entry = this.#entries.get(name) ?? new ModelEntry(name)
    this.#entries.set(name, entry)
    return entry
  }

  /** The load of a model came to an end before its versions were known; that is of interest where it never had any. */
  lackVersions(entry: ModelEntry): void {
    if (entry.isUnused) this.#versionless.add(entry.name)
  }

  /** The versions of a model are known, or no longer of interest. */
  forgiveLack(name: string): void {
    this.#versionless.delete(name)
  }

  serve(entry: ModelEntry, model: ModelVersion): void {
    const { name, version } = model
    this.live.add(model)
    this.#versionless.delete(name)
    const before = entry.serve(model)
    if (before !== undefined) this.live.dispose(before)
    this.#logger.info({ model: name, version }, `successfully loaded '${name}' version ${version}`)
    this.listener.onReady(model)
  }

  retire(entry: ModelEntry, version: number): void {
    const model = entry.retire(version)
    if (model === undefined) return
    this.#logger.info({ model: entry.name, version }, `successfully unloaded '${entry.name}' version ${version}`)
    this.listener.onUnavailable(entry.name, version, 'unloaded')
    this.live.dispose(model)
  }
}
