import { setMaxListeners } from 'node:events'
import { chooseVersions, noVersionText } from '../config/version-policy.ts'
import { errorDetail, TritonError } from '../errors.ts'
import { checkModelName } from '../repository/model-name.ts'
import type { Logger } from '../util/logger.ts'
import { LiveVersions } from './live-versions.ts'
import { LoadWaits } from './load-waits.ts'
import { ModelEntry } from './model-entry.ts'
import type { ModelIndexEntry } from './model-state.ts'
import type { ModelVersion } from './model-version.ts'
import { needsReload } from './needs-reload.ts'
import { type LoadOptions, type PolledModel, type PollOptions, pollModel } from './poll-model.ts'
import type { VersionUpdate } from './update-version.ts'
import type { LoadedVersions, VersionLoader } from './version-loader.ts'

/** What the manager tells the Server. A failure without version came before the versions were known. */
export interface LifecycleListener {
  onReady(model: ModelVersion): void
  onUnavailable(name: string, version: number | undefined, reason: string): void
}

/** The models of a Server: brings versions up, looks them up, takes them down. */
export class ModelManager {
  readonly #poll: PollOptions
  readonly #loader: VersionLoader
  readonly #listener: LifecycleListener
  readonly #logger: Logger
  readonly #entries = new Map<string, ModelEntry>()
  /** Models whose last load did not get as far as their versions; they keep the Server from being ready. */
  readonly #versionless = new Set<string>()
  readonly #live: LiveVersions
  readonly #waits = new LoadWaits()
  readonly #stopping = new AbortController()
  #isClosed = false

  constructor(poll: PollOptions, loader: VersionLoader, listener: LifecycleListener, logger: Logger) {
    this.#poll = poll
    this.#loader = loader
    this.#listener = listener
    this.#logger = logger
    this.#live = new LiveVersions(logger)
  }

  /** @throws TritonError NOT_FOUND or UNAVAILABLE with Triton's texts. */
  find(name: string, version: number): ModelVersion {
    if (this.#isClosed) throw new TritonError('UNAVAILABLE', 'Server not ready')
    const entry = this.#entries.get(name)
    if (entry !== undefined && !entry.isUnused) return entry.find(version)
    throw new TritonError('NOT_FOUND', `Request for unknown model: '${name}' is not found`)
  }

  /** Ready versions of one model, lowest first. */
  readyVersions(name: string): readonly ModelVersion[] {
    return this.#entries.get(name)?.ready ?? []
  }

  /** Every ready version, by name and then version. */
  get ready(): ModelVersion[] {
    return [...this.#entries.keys()].sort().flatMap((name) => this.readyVersions(name))
  }

  /** Every model in the repository, directories read afresh; what was never loaded has a name alone. */
  async index(readyOnly: boolean): Promise<ModelIndexEntry[]> {
    const names = await this.#poll.repository.names()
    const lists = await Promise.all(names.map((name) => this.#indexOf(name)))
    return lists.flat().filter(({ state }) => !readyOnly || state === 'READY')
  }

  async #indexOf(name: string): Promise<ModelIndexEntry[]> {
    if ((await this.#poll.repository.find(name)) === 'duplicate') {
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

  /** Loads several models at the same time; returns what failed, by name. */
  async loadEach(names: readonly string[], signal: AbortSignal | undefined): Promise<Map<string, TritonError>> {
    const failures = new Map<string, TritonError>()
    await Promise.all(
      names.map((name) =>
        this.load(name, { signal }).catch((error: unknown) => {
          failures.set(name, TritonError.from(error))
        }),
      ),
    )
    return failures
  }

  /**
   * Loads or reloads a model. Versions that serve keep serving until all new ones are ready, and go on if any fails.
   * An unchanged model is left alone.
   */
  async load(name: string, options: LoadOptions = {}): Promise<void> {
    checkModelName(name)
    await this.#exclusive(name, async (entry) => {
      const polled = await this.#pollEntry(entry, options)
      if (polled === undefined) return
      const loaded = await this.#loadVersions(entry, polled, options.signal).catch(async (error: unknown) => {
        await polled.dispose()
        throw error
      })
      entry.loaded = polled
      this.#live.whenGone(loaded, `the files of model '${name}'`, polled.dispose)
    })
  }

  /** Takes all versions of a model out of service. An unknown model is no error. */
  async unload(name: string): Promise<void> {
    await this.#exclusive(name, async (entry) => {
      this.#versionless.delete(name)
      for (const { version } of entry.ready) this.#retire(entry, version)
      entry.loaded = undefined
    })
  }

  /**
   * Does what the load of `waiting` waits for, the load or unload of another model.
   * @throws TritonError INVALID_ARG when that waits for the load of `waiting`.
   */
  async whileWaiting(waiting: string, awaited: string, work: () => Promise<void>): Promise<void> {
    await this.#waits.during(waiting, awaited, () => this.#loader.lendPlace(work))
  }

  /** False from `stopAccepting` on. */
  get isAccepting(): boolean {
    return !this.#stopping.signal.aborted
  }

  /** Refuses new requests everywhere, but for those of models to each other; loads under way are given up. */
  stopAccepting(): void {
    this.#stopping.abort(new TritonError('UNAVAILABLE', 'Server is stopping'))
    this.#live.stopAccepting()
  }

  /** Answers every request in flight with `error`, and refuses those that models send to each other, too. */
  abandonAll(error: TritonError): void {
    this.#isClosed = true
    this.#live.abandonAll(error)
  }

  /** Waits for the requests in flight, while models stay and refuse further ones, then takes everything down. */
  async dispose(): Promise<void> {
    await this.#live.drained()
    this.#isClosed = true
    await Promise.all([...this.#entries.keys()].map((name) => this.unload(name)))
    await this.#live.settled()
  }

  /** Does one thing at a time with a model. An entry that nothing came of is forgotten when nobody waits for it. */
  async #exclusive(name: string, work: (entry: ModelEntry) => Promise<void>): Promise<void> {
    const entry = this.#entries.get(name) ?? new ModelEntry(name)
    this.#entries.set(name, entry)
    try {
      await entry.exclusive(() => work(entry))
    } finally {
      if (entry.isUnused && entry.isIdle) this.#entries.delete(name)
    }
  }

  async #pollEntry(entry: ModelEntry, options: LoadOptions): Promise<PolledModel | undefined> {
    const { name } = entry
    try {
      const polled = await pollModel(name, options, entry.loaded?.fingerprint, this.#poll)
      this.#versionless.delete(name)
      for (const { message, ...place } of polled?.definition.notes ?? []) {
        this.#logger.warn({ model: name, ...place }, `configuration of model '${name}': ${message}`)
      }
      return polled
    } catch (cause) {
      const error = TritonError.from(cause)
      if (entry.isUnused && (await this.#poll.repository.find(name)) !== undefined) this.#versionless.add(name)
      this.#logger.error({ model: name }, `Poll failed for model '${name}': ${errorDetail(error)}`)
      this.#listener.onUnavailable(name, undefined, error.reason)
      throw new TritonError('INTERNAL', `failed to load '${name}', failed to poll from model repository`, { cause })
    }
  }

  async #loadVersions(entry: ModelEntry, polled: PolledModel, signal?: AbortSignal): Promise<readonly ModelVersion[]> {
    const { name, loaded: before } = entry
    const { definition } = polled
    const { versions, warnings } = chooseVersions(definition.config, definition.subdirectories)
    for (const warning of warnings) this.#logger.warn({ model: name }, warning)
    if (versions.length === 0) {
      if (entry.isUnused) this.#versionless.add(name)
      throw loadFailure(name, noVersionText(name))
    }
    for (const version of versions) entry.loading(version)
    const given = signal === undefined ? this.#stopping.signal : AbortSignal.any([signal, this.#stopping.signal])
    // Each instance may listen, and Node warns of more than ten.
    setMaxListeners(0, given)
    const toUpdate = (version: number): ModelVersion | undefined =>
      before === undefined || needsReload(before, polled, version) ? undefined : entry.serving(version)
    const result = await this.#loader.load(definition, versions, toUpdate, given)
    if (result.failed.length > 0) throw this.#giveBack(entry, result)
    for (const model of result.loaded) this.#serve(entry, model)
    for (const update of result.updates) this.#update(entry, update)
    for (const { version } of entry.ready) if (!versions.includes(version)) this.#retire(entry, version)
    return result.loaded
  }

  /** All versions of a load or none: those that came up go again. */
  #giveBack(entry: ModelEntry, { loaded, updates, failed }: LoadedVersions): TritonError {
    for (const update of updates) this.#live.track(`the instances of model '${entry.name}'`, update.discard)
    for (const model of loaded) {
      entry.failed(model.version, 'unloaded')
      this.#live.dispose(model)
    }
    for (const { version, state, error } of failed) {
      entry.failed(version, error.reason)
      this.#logger.error(
        { model: entry.name, version },
        `failed to load '${entry.name}' version ${version}: ${errorDetail(error)}`,
      )
      if (state === 'UNAVAILABLE') this.#listener.onUnavailable(entry.name, version, error.reason)
    }
    const text = failed
      .map(({ version, state, error }) => `version ${version} is at ${state} state: ${error.reason};`)
      .join('')
    const code = failed.every(({ error }) => error.code === 'CANCELLED') ? 'CANCELLED' : 'INVALID_ARG'
    return loadFailure(entry.name, text, code, failed[0]?.error)
  }

  #serve(entry: ModelEntry, model: ModelVersion): void {
    this.#live.add(model)
    const before = entry.serve(model)
    if (before !== undefined) this.#live.dispose(before)
    this.#logger.info(
      { model: model.name, version: model.version },
      `successfully loaded '${model.name}' version ${model.version}`,
    )
    this.#listener.onReady(model)
  }

  #update({ name }: ModelEntry, update: VersionUpdate): void {
    update.commit()
    this.#logger.info(
      { model: name, version: update.version },
      `successfully updated the instances of '${name}' version ${update.version}`,
    )
  }

  #retire(entry: ModelEntry, version: number): void {
    const model = entry.retire(version)
    if (model === undefined) return
    this.#logger.info({ model: entry.name, version }, `successfully unloaded '${entry.name}' version ${version}`)
    this.#listener.onUnavailable(entry.name, version, 'unloaded')
    this.#live.dispose(model)
  }
}

function loadFailure(
  name: string,
  text: string,
  code: 'INVALID_ARG' | 'CANCELLED' = 'INVALID_ARG',
  cause?: unknown,
): TritonError {
  return new TritonError(code, `load failed for model '${name}': ${text}\n`, cause === undefined ? {} : { cause })
}
