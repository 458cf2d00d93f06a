import { chooseVersions, noVersionText } from '../config/version-policy.ts'
import type { ModelDefinition } from '../repository/model-definition.ts'
import type { Logger } from '../util/logger.ts'
import { EnsembleLoader, type EnsembleLoaderParts } from './ensembles/ensemble-loader.ts'
import type { Ensembles } from './ensembles/ensembles.ts'
import { giveBack, loadFailure } from './load-failure.ts'
import type { LoadOperation } from './load-operation.ts'
import type { ModelEntries } from './model-entries.ts'
import type { ModelEntry } from './model-entry.ts'
import { replaceLoaded } from './model-files.ts'
import { ModelPoller } from './model-poller.ts'
import type { ModelVersion } from './model-version.ts'
import { needsReload } from './needs-reload.ts'
import type { PolledModel, PollOptions } from './poll-model.ts'
import type { VersionUpdate } from './update-version.ts'
import type { LoadedVersions, VersionLoader } from './version-loader.ts'

/** What a model loader works with. */
export interface ModelLoaderParts extends EnsembleLoaderParts {
  readonly poll: PollOptions
  readonly versions: VersionLoader
}

/** Loads models as their repository has them: looks whether they have changed, and brings up all of their versions or none. */
export class ModelLoader {
  readonly #poller: ModelPoller
  readonly #versions: VersionLoader
  readonly #entries: ModelEntries
  readonly #ensembles: Ensembles
  readonly #ensembleLoader: EnsembleLoader
  readonly #logger: Logger

  constructor(parts: ModelLoaderParts) {
    this.#poller = new ModelPoller(parts.poll, parts.entries, parts.logger)
    this.#versions = parts.versions
    this.#entries = parts.entries
    this.#ensembles = parts.ensembles
    this.#ensembleLoader = new EnsembleLoader(parts)
    this.#logger = parts.logger
  }

  /**
   * Loads one model of an operation, after the models that it needs.
   * @throws TritonError with Triton's texts; what served before goes on, but for an ensemble that cannot be served.
   */
  async load(id: string, operation: LoadOperation): Promise<void> {
    await this.#entries.exclusive(id, async (entry) => {
      const polled = await this.#poller.poll(entry, operation)
      entry.isExplicit ||= operation.isRequested(id)
      try {
        await this.#loadEntry(entry, polled, operation)
      } catch (error) {
        // With namespaces, a model that fails to load is one more that its name may mean.
        this.#ensembles.refresh(id)
        throw error
      }
    })
  }

  /** @param polled undefined for what has not changed. */
  async #loadEntry(entry: ModelEntry, polled: PolledModel | undefined, operation: LoadOperation): Promise<void> {
    const model = (polled ?? entry.loaded)!
    const isEnsemble = model.definition.config.ensembleScheduling !== undefined
    if (polled === undefined && !isEnsemble) return
    try {
      const versions = this.#chooseVersions(entry, model.definition)
      if (isEnsemble) await this.#ensembleLoader.load(entry, model, versions, polled !== undefined, operation)
      else await this.#loadModel(entry, model, versions, operation)
    } catch (error) {
      await polled?.files.discard(this.#entries.live, operation.signal)
      throw error
    }
  }

  /** @throws TritonError when there is none. */
  #chooseVersions(entry: ModelEntry, { config, subdirectories }: ModelDefinition): readonly number[] {
    const { id } = entry
    const { versions, warnings } = chooseVersions(config, subdirectories)
    for (const warning of warnings) this.#logger.warn({ model: id }, warning)
    if (versions.length > 0) return versions
    this.#entries.lackVersions(entry)
    entry.failure = noVersionText(id)
    this.#logger.error({ model: id }, `failed to load '${id}': ${entry.failure}`)
    const failure = loadFailure(id, entry.failure)
    this.#entries.listener.onUnavailable(id, undefined, failure.reason)
    throw failure
  }

  async #loadModel(
    entry: ModelEntry,
    polled: PolledModel,
    versions: readonly number[],
    { signal }: LoadOperation,
  ): Promise<void> {
    const { loaded: before } = entry
    for (const version of versions) entry.loading(version)
    const toUpdate = (version: number): ModelVersion | undefined =>
      before === undefined || needsReload(before, polled, version) ? undefined : entry.serving(version)
    const result = await this.#versions.load(polled.definition, versions, toUpdate, signal)
    polled.files.readBy(result.loaded)
    if (result.failed.length > 0) throw giveBack(entry, result, this.#entries, this.#logger)
    const replaced = this.#serve(entry, polled, versions, result)
    await polled.files.keep(replaced, this.#entries.live, signal)
  }

  /** Puts into service what was loaded, all in one step; resolves when the agents of what was there before have heard UNLOAD. */
  #serve(
    entry: ModelEntry,
    polled: PolledModel,
    versions: readonly number[],
    { loaded, updates }: LoadedVersions,
  ): Promise<void> {
    entry.failure = undefined
    const stays = new Set(updates.map(({ version }) => version))
    const going = entry.ready.filter(({ version }) => !stays.has(version))
    const replaced = replaceLoaded(entry, polled, going, this.#entries.live)
    this.#ensembles.forget(entry.id)
    for (const model of loaded) this.#entries.serve(entry, model)
    for (const update of updates) this.#update(entry, update)
    for (const { version } of entry.ready) if (!versions.includes(version)) this.#entries.retire(entry, version)
    this.#ensembles.refresh(entry.id)
    return replaced
  }

  #update(entry: ModelEntry, { version, changesInstances, commit }: VersionUpdate): void {
    commit()
    const model = entry.serving(version)
    if (!changesInstances || model === undefined) return
    const { id } = entry
    this.#logger.info({ model: id, version }, `successfully updated the instances of '${id}' version ${version}`)
    this.#entries.listener.onUpdated(model)
  }
}
