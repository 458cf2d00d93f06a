import { setMaxListeners } from 'node:events'
import type { UnloadOptions } from '../backend/backend-server.ts'
import { TritonError } from '../errors.ts'
import { Ensembles } from './ensembles.ts'
import { LoadOperation } from './load-operation.ts'
import type { LoadContext } from './load-version.ts'
import { LoadWaits } from './load-waits.ts'
import { type LifecycleListener, ModelEntries } from './model-entries.ts'
import { ModelLoader } from './model-loader.ts'
import type { ModelIndexEntry } from './model-state.ts'
import { ModelUnloader } from './model-unloader.ts'
import type { ModelVersion } from './model-version.ts'
import type { LoadOptions, PollOptions } from './poll-model.ts'
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
    this.#entries = new ModelEntries(listener, logger)
    const [entries, waits] = [this.#entries, this.#waits]
    const ensembles = new Ensembles(entries, context)
    this.#ensembles = ensembles
    this.#loader = new ModelLoader({ poll, versions, entries, ensembles, waits, logger })
    this.#unloader = new ModelUnloader(entries, ensembles)
  }

  /** @throws TritonError NOT_FOUND or UNAVAILABLE with Triton's texts. */
  find(name: string, version: number): ModelVersion {
    if (this.#isClosed) throw new TritonError('UNAVAILABLE', 'Server not ready')
    return this.#entries.find(name, version)
  }

  /** Ready versions of one model, lowest first. */
  readyVersions(name: string): readonly ModelVersion[] {
    return this.#entries.readyVersions(name)
  }

  /** Every ready version, by name and then version. */
  get ready(): ModelVersion[] {
    return this.#entries.ready
  }

  /** Every model in the repository, directories read afresh; what was never loaded has a name alone. */
  async index(readyOnly: boolean): Promise<ModelIndexEntry[]> {
    const index = await this.#entries.index(this.#poll.repository)
    return index.filter(({ state }) => !readyOnly || state === 'READY')
  }

  /** Whether every model that was ever to be served is ready or was unloaded on purpose. */
  isReady(): Promise<boolean> {
    return this.#entries.isReady()
  }

  /** Loads several models at the same time, each once; returns what failed, by name. */
  async loadEach(names: readonly string[], signal: AbortSignal | undefined): Promise<Map<string, TritonError>> {
    const failures = new Map<string, TritonError>()
    const operation = this.#operation(new Map(names.map((name) => [name, {}])), signal)
    await Promise.all(
      names.map((name) =>
        operation.load(name).catch((error: unknown) => {
          failures.set(name, TritonError.from(error))
        }),
      ),
    )
    return failures
  }

  /**
   * Loads or reloads a model, and before it what an ensemble needs. Versions that serve keep serving until all new ones
   * are ready, and go on if any fails. An unchanged model is left alone.
   */
  async load(name: string, options: LoadOptions = {}): Promise<void> {
    await this.#operation(new Map([[name, options]]), options.signal).load(name)
  }

  /** Takes all versions of a model out of service. An unknown model is no error. */
  async unload(name: string, { unloadDependents = false }: UnloadOptions = {}): Promise<void> {
    await this.#entries.exclusive(name, async (entry) => this.#unloader.unload(entry, unloadDependents))
  }

  /**
   * Does what the load of `waiting` waits for, the load or unload of another model.
   * @throws TritonError INVALID_ARG when that waits for the load of `waiting`.
   */
  async whileWaiting(waiting: string, awaited: string, work: () => Promise<void>): Promise<void> {
    await this.#waits.during(waiting, awaited, () => this.#versions.lendPlace(work))
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
    for (let names = [...this.#entries.names]; names.length > 0; ) {
      const unneeded = names.filter((name) => !this.#ensembles.isNeeded(name))
      // Nothing of a circle is in service.
      const now = unneeded.length > 0 ? unneeded : names
      await Promise.all(now.map((name) => this.unload(name)))
      names = names.filter((name) => !now.includes(name))
    }
  }

  #operation(requested: ReadonlyMap<string, LoadOptions>, signal: AbortSignal | undefined): LoadOperation {
    const given = signal === undefined ? this.#stopping.signal : AbortSignal.any([signal, this.#stopping.signal])
    // Each instance may listen, and Node warns of more than ten.
    setMaxListeners(0, given)
    return new LoadOperation(requested, given, (name, operation) => this.#loader.load(name, operation))
  }
}
