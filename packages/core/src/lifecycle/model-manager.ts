import { setMaxListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { UnloadOptions } from '../backend/backend-server.ts'
import { TritonError } from '../errors.ts'
import { checkModelName } from '../repository/model-name.ts'
import { Ensembles } from './ensembles.ts'
import { loadFailures } from './load-failure.ts'
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
import { Unloading } from './unloading.ts'
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
   * @param namespace of the model whose code asks, if any, where names are told apart by repository.
   * @throws TritonError NOT_FOUND, UNAVAILABLE or INVALID_ARG with Triton's texts.
   */
  find(name: string, version: number, namespace?: string): ModelVersion {
    if (this.#isClosed) throw new TritonError('UNAVAILABLE', 'Server not ready')
    return this.#entries.find(this.#entries.names.idOf(name, namespace), version)
  }

  /**
   * Ready versions of one model, lowest first.
   * @throws TritonError INVALID_ARG or NOT_FOUND where names are told apart by repository.
   */
  readyVersions(name: string): readonly ModelVersion[] {
    return this.#entries.readyVersions(this.#entries.names.idOf(name))
  }

  /**
   * The id of the model that is meant by a name.
   * @throws TritonError INVALID_ARG or NOT_FOUND where names are told apart by repository.
   */
  idOf(name: string, namespace?: string): string {
    return this.#entries.names.idOf(name, namespace)
  }

  /** Ready versions of one model, lowest first. */
  readyOf(id: string): readonly ModelVersion[] {
    return this.#entries.readyVersions(id)
  }

  /** Whether a model of that name, or id, was ever to be served. */
  isKnown(name: string): boolean {
    return this.#entries.names.all(name).length > 0
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

  /**
   * Loads several models at the same time, each once; returns what failed, by id.
   * @param untouched ids of models that stay as they are, also where an ensemble needs them.
   */
  async loadEach(
    ids: readonly string[],
    options: LoadOptions,
    untouched?: ReadonlySet<string>,
  ): Promise<Map<string, TritonError>> {
    const failures = new Map<string, TritonError>()
    const operation = this.#operation(new Map(ids.map((id) => [id, options])), options.signal, untouched)
    const loads: Promise<void>[] = []
    for (const id of ids) {
      const load = operation.load(id).catch((error: unknown) => {
        failures.set(id, TritonError.from(error))
      })
      // To begin thousands at once would hold up the event loop.
      if (loads.push(load) % 100 === 0) await setImmediate()
    }
    await Promise.all(loads)
    return failures
  }

  /**
   * Loads or reloads a model, and before it what an ensemble needs. Versions that serve keep serving until all new ones
   * are ready, and go on if any fails. An unchanged model is left alone. A name in several namespaces is all of them.
   */
  async load(name: string, options: LoadOptions = {}): Promise<void> {
    const { repository } = this.#poll
    const isId = this.#entries.names.isId(name)
    if (!isId) checkModelName(repository.nameOf(name))
    // Nothing is awaited without need: loads and unloads of a model happen in the order of the calls.
    const hasOneId = isId || !repository.hasNamespaces || bringsFiles(options)
    const ids = hasOneId ? [name] : await repository.idsOf(name)
    const failures = await this.loadEach(ids, options)
    if (failures.size > 0) throw loadFailures([...failures.values()])
  }

  /** Takes all versions of a model out of service, in all namespaces. An unknown model is no error. */
  async unload(name: string, { unloadDependents = false }: UnloadOptions = {}): Promise<Unloading> {
    const unloading = new Unloading()
    await Promise.all(this.#entries.names.all(name).map((id) => this.#unloadOne(id, unloadDependents, unloading)))
    return unloading
  }

  /** Takes models out of service, by id; ensembles before what they are made of, so that none is ever seen to lack something. */
  async unloadEach(ids: readonly string[]): Promise<void> {
    for (let rest = ids; rest.length > 0; ) {
      const unneeded = rest.filter((id) => !this.#ensembles.isNeeded(id))
      // Nothing of a circle is in service, and what stays needs something that goes.
      const now = unneeded.length > 0 ? unneeded : rest
      await Promise.all(now.map((id) => this.#unloadOne(id, false)))
      rest = rest.filter((id) => !now.includes(id))
    }
  }

  /** The same; resolves when everything was given back, and nothing is known of them any more. */
  async evict(ids: readonly string[]): Promise<void> {
    const versions = ids.flatMap((id) => this.#entries.readyVersions(id))
    await this.unloadEach(ids)
    await Promise.all(versions.map((version) => version.gone))
    this.forget(ids)
  }

  /** From now on what is not to be served is as if it had never been. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#entries.forget(id)
  }

  /** What is to be served, with success or not, by id. */
  known(): ReadonlyMap<string, KnownModel> {
    return this.#entries.known()
  }

  #unloadOne(id: string, withSteps: boolean, unloading?: Unloading): Promise<void> {
    return this.#entries.exclusive(id, async (entry) => this.#unloader.unload(entry, withSteps, unloading))
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
    await this.unloadEach(this.#entries.ids)
    await this.#entries.live.settled()
  }

  #operation(
    requested: ReadonlyMap<string, LoadOptions>,
    signal: AbortSignal | undefined,
    untouched?: ReadonlySet<string>,
  ): LoadOperation {
    const given = signal === undefined ? this.#stopping.signal : AbortSignal.any([signal, this.#stopping.signal])
    // Each instance may listen, and Node warns of more than ten.
    setMaxListeners(0, given)
    return new LoadOperation(requested, given, (id, operation) => this.#loader.load(id, operation), untouched)
  }
}
