import type { UnloadOptions } from '../backend/backend-server.ts'
import { TritonError } from '../errors.ts'
import type { KnownModel } from '../polling/repository-changes.ts'
import { checkModelName } from '../repository/model-name.ts'
import type { ModelRepository } from '../repository/model-repository.ts'
import { abortable } from '../util/abortable.ts'
import { givenUp } from '../util/given-up.ts'
import { loadFailure, loadFailures, notPolled } from './load-failure.ts'
import type { LoadContext } from './load-version.ts'
import { ModelControl } from './model-control.ts'
import { type LifecycleListener, ModelEntries } from './model-entries.ts'
import type { ModelIndexEntry } from './model-state.ts'
import type { ModelVersion } from './model-version.ts'
import { NameTurns } from './name-turns.ts'
import { bringsFiles, type LoadOptions, type PollOptions } from './poll-model.ts'
import { Unloading } from './unloading.ts'
import type { VersionLoader } from './version-loader.ts'

/** The models of a Server, by their names: brings versions up, looks them up, takes them down. */
export class ModelManager {
  readonly #repository: ModelRepository
  readonly #entries: ModelEntries
  readonly #control: ModelControl
  /** With namespaces. */
  readonly #turns = new NameTurns()
  #isAccepting = true
  #isClosed = false

  constructor(poll: PollOptions, context: LoadContext, versions: VersionLoader, listener: LifecycleListener) {
    this.#repository = poll.repository
    this.#entries = new ModelEntries(poll.repository, listener, context.logger)
    this.#control = new ModelControl(poll, context, versions, this.#entries)
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

  /** The same one after the other, for those who let others in between; what comes meanwhile may be missing. */
  *eachReady(): Generator<ModelVersion, void> {
    for (const id of this.#entries.ids) yield* this.readyOf(id)
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
  loadEach(
    ids: readonly string[],
    options: LoadOptions,
    untouched?: ReadonlySet<string>,
  ): Promise<Map<string, TritonError>> {
    return this.#control.loadEach(ids, options, untouched)
  }

  /**
   * Loads or reloads a model, and before it what an ensemble needs. Versions that serve keep serving until all new ones
   * are ready, and go on if any fails. An unchanged model is left alone. A name in several namespaces is all of them.
   */
  async load(name: string, options: LoadOptions = {}): Promise<void> {
    if (name === '') throw notPolled(name)
    if (!this.#entries.names.isId(name)) checkModelName(this.#repository.nameOf(name))
    const begin = (ids: readonly string[]) => this.#control.loadEach(ids, options)
    const failures = await (this.#repository.hasNamespaces ? this.#loadInTurn(name, options, begin) : begin([name]))
    if (failures.size > 0) throw loadFailures([...failures.values()])
  }

  async #loadInTurn<T>(name: string, options: LoadOptions, begin: (ids: readonly string[]) => Promise<T>): Promise<T> {
    const signal = this.#control.signalOf(options)
    const find = async (): Promise<string[]> =>
      bringsFiles(options) || this.#entries.names.isId(name) ? [name] : this.#repository.idsOf(name, signal)
    try {
      const { begun } = await abortable(this.#turns.take(this.#nameOf(name), find, begin), signal)
      return begun
    } catch (cause) {
      if (signal.aborted) throw loadFailure(name, givenUp(signal).message, 'CANCELLED', cause)
      throw cause
    }
  }

  /** Takes all versions of a model out of service, in all namespaces. An unknown model is no error. */
  async unload(name: string, { unloadDependents = false }: UnloadOptions = {}): Promise<Unloading> {
    const unloading = new Unloading()
    const { names } = this.#entries
    const begin = (ids: readonly string[]) =>
      Promise.all(ids.map((id) => this.#control.unload(id, unloadDependents, unloading)))
    if (!this.#repository.hasNamespaces) await begin(names.all(name))
    else await (await this.#turns.take(this.#nameOf(name), async () => names.all(name), begin)).begun
    return unloading
  }

  /** The bare name. */
  #nameOf(name: string): string {
    return this.#entries.get(name)?.name ?? this.#repository.nameOf(name)
  }

  /** Takes models out of service, by id; ensembles before what they are made of, so that none is ever seen to lack something. */
  unloadEach(ids: readonly string[]): Promise<void> {
    return this.#control.unloadEach(ids)
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

  /**
   * Does what the load of `waiting` waits for, the load or unload of another model.
   * @param waiting an id.
   * @param awaited a name.
   * @throws TritonError INVALID_ARG when that waits for the load of `waiting`.
   */
  async whileWaiting(waiting: string, awaited: string, work: () => Promise<void>): Promise<void> {
    await this.#control.whileWaiting(waiting, await this.#repository.idsOf(awaited), work)
  }

  /** False from `stopAccepting` on. */
  get isAccepting(): boolean {
    return this.#isAccepting
  }

  /** Gives up loads under way, and those that still come. */
  stopLoading(): void {
    this.#control.stop(new TritonError('UNAVAILABLE', 'Server is stopping'))
  }

  /** Refuses new requests everywhere, but for those of models to each other, and loads. */
  stopAccepting(): void {
    this.#isAccepting = false
    this.stopLoading()
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
}
