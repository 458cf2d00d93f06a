import { setMaxListeners } from 'node:events'
import type { UnloadOptions } from '../backend/backend-server.ts'
import { TritonError } from '../errors.ts'
import { checkModelName } from '../repository/model-name.ts'
import { Ensembles } from './ensembles.ts'
import { LoadOperation } from './load-operation.ts'
import type { LoadContext } from './load-version.ts'
import { LoadWaits } from './load-waits.ts'
import { type LifecycleListener, ModelEntries } from './model-entries.ts'
import { ModelLoader } from './model-loader.ts'
import type { ModelIndexEntry } from './model-state.ts'
import { ModelUnloader } from './model-unloader.ts'
import type { ModelVersion } from './model-version.ts'
import { bringsFiles, type LoadOptions, type PollOptions } from './poll-model.ts'
import type { KnownModel } from './repository-changes.ts'
import type { VersionLoader } from './version-loader.ts'

/** The models of a Server: brings versions up, looks them up, takes them down. */
export class ModelManager {
  readonly #poll: PollOptions
  readonly #versions: VersionLoader
  readonly #entries: ModelEntries
  readonly #ensembles: Ensembles
  readonly #loader: ModelLoader
  readonly #unloader: ModelUnloader
  readonly #waits = new LoadWaits()
  readonly #stopping = new AbortController()
  #isClosed = false

  constructor(poll: PollOptions, context: LoadContext, versions: VersionLoader, listener: LifecycleListener) {
    this.#poll = poll
    const { logger } = context
    this.#versions = versions
    this.#entries = new ModelEntries(poll.repository, listener, logger)
    const [entries, waits] = [this.#entries, this.#waits]
    const ensembles = new Ensembles(entries, context)
    this.#ensembles = ensembles
    this.#loader = new ModelLoader({ poll, repository: poll.repository, versions, entries, ensembles, waits, logger })
    this.#unloader = new ModelUnloader(entries, ensembles)
  }

  /**
   * The version that serves a request.
   * @param name of the model, or its id.
   * @param version -1: the highest that is ready.
   * @param namespace of who asks, where names are told apart by repository.
   * @throws TritonError NOT_FOUND, UNAVAILABLE or INVALID_ARG with Triton's texts.
   */
  find(name: string, version: number, namespace = ''): ModelVersion {
    if (this.#isClosed) throw new TritonError('UNAVAILABLE', 'Server not ready')
    return this.#entries.find(this.#entries.idOf(name, namespace), version)
  }

  /**
   * Ready versions of one model, lowest first.
   * @throws TritonError INVALID_ARG for a name that is not told apart.
   */
  readyVersions(name: string): readonly ModelVersion[] {
    return this.#entries.readyVersions(this.#entries.idOf(name, ''))
  }

  /** Every ready version, by id and then version. */
  get ready(): ModelVersion[] {
    return this.#entries.ready
  }

  /** Every model in the repository, directories read afresh; what was never loaded has a name alone. */
  async index(readyOnly: boolean): Promise<ModelIndexEntry[]> {
    const index = await this.#entries.index()
    return index.filter(({ state }) => !readyOnly || state === 'READY')
  }

  /** Whether every model that was ever to be served is ready or was unloaded on purpose. */
  isReady(): Promise<boolean> {
    return this.#entries.isReady()
  }

  /** Loads several models at the same time, each once; returns what failed, by id. */
  async loadEach(ids: readonly string[], options: LoadOptions): Promise<Map<string, TritonError>> {
    const failures = new Map<string, TritonError>()
    const operation = this.#operation(new Map(ids.map((id) => [id, options])), options.signal)
    await Promise.all(
      ids.map((id) =>
        operation.load(id).catch((error: unknown) => {
          failures.set(id, TritonError.from(error))
        }),
      ),
    )
    return failures
  }

  /**
   * Loads or reloads a model, and before it what an ensemble needs. Versions that serve keep serving until all new ones
   * are ready, and go on if any fails. An unchanged model is left alone. A name in several namespaces is all of them.
   */
  async load(name: string, options: LoadOptions = {}): Promise<void> {
    checkModelName(name)
    const { repository } = this.#poll
    // Nothing is awaited without need: loads and unloads of a model happen in the order of the calls.
    const ids = bringsFiles(options) || !repository.hasNamespaces ? [name] : await repository.idsOf(name)
    const failures = await this.loadEach(ids, options)
    for (const error of failures.values()) throw error
  }

  /** Takes all versions of a model out of service, in all namespaces. An unknown model is no error. */
  async unload(name: string, { unloadDependents = false }: UnloadOptions = {}): Promise<void> {
    const named = [...this.#entries.all].filter((entry) => entry.name === name || entry.id === name)
    await Promise.all(named.map(({ id }) => this.#unloadOne(id, unloadDependents)))
  }

  /** Takes models out of service, by id. */
  async unloadEach(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#unloadOne(id, false)))
  }

  /** What is to be served, with success or not, by id. */
  known(): ReadonlyMap<string, KnownModel> {
    return this.#entries.known()
  }

  #unloadOne(id: string, withSteps: boolean): Promise<void> {
    return this.#entries.exclusive(id, async (entry) => this.#unloader.unload(entry, withSteps))
  }

  /**
   * Does what the load of `waiting` waits for, the load or unload of another model.
   * @param waiting an id.
   * @param awaited a name.
   * @throws TritonError INVALID_ARG when that waits for the load of `waiting`.
   */
  async whileWaiting(waiting: string, awaited: string, work: () => Promise<void>): Promise<void> {
    const ids = await this.#poll.repository.idsOf(awaited)
    const begin = (): Promise<void> => this.#versions.lendPlace(work)
    await ids.reduce((inner, id) => () => this.#waits.during(waiting, id, inner), begin)()
  }

  /** False from `stopAccepting` on. */
  get isAccepting(): boolean {
    return !this.#stopping.signal.aborted
  }

  /** Refuses new requests everywhere, but for those of models to each other; loads under way are given up. */
  stopAccepting(): void {
    this.#stopping.abort(new TritonError('UNAVAILABLE', 'Server is stopping'))
    this.#entries.live.stopAccepting()
  }

  /** Answers every request in flight with `error`, and refuses those that models send to each other, too. */
  abandonAll(error: TritonError): void {
    this.#isClosed = true
    this.#entries.live.abandonAll(error)
  }

  /** Waits for the requests in flight, while models stay and refuse further ones, then takes everything down. */
  async dispose(): Promise<void> {
    await this.#entries.live.drained()
    this.#isClosed = true
    await this.#unloadAll()
    await this.#entries.live.settled()
  }

  /** Ensembles before what they are made of, so that none is ever seen to lack something. */
  async #unloadAll(): Promise<void> {
    for (let ids = this.#entries.ids; ids.length > 0; ) {
      const unneeded = ids.filter((id) => !this.#ensembles.isNeeded(id))
      // Nothing of a circle is in service.
      const now = unneeded.length > 0 ? unneeded : ids
      await Promise.all(now.map((id) => this.#unloadOne(id, false)))
      ids = ids.filter((id) => !now.includes(id))
    }
  }

  #operation(requested: ReadonlyMap<string, LoadOptions>, signal: AbortSignal | undefined): LoadOperation {
    const given = signal === undefined ? this.#stopping.signal : AbortSignal.any([signal, this.#stopping.signal])
    // Each instance may listen, and Node warns of more than ten.
    setMaxListeners(0, given)
    return new LoadOperation(requested, given, (id, operation) => this.#loader.load(id, operation))
  }
}
