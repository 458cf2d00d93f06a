import { chooseVersions, noVersionText } from '../config/version-policy.ts'
import { errorDetail, TritonError } from '../errors.ts'
import type { ModelDefinition } from '../repository/model-definition.ts'
import type { ModelPlace } from '../repository/model-place.ts'
import type { Logger } from '../util/logger.ts'
import { EnsembleLoader, type EnsembleLoaderParts } from './ensemble-loader.ts'
import type { Ensembles } from './ensembles.ts'
import { giveBack, loadFailure } from './load-failure.ts'
import type { LoadOperation } from './load-operation.ts'
import type { ModelEntries } from './model-entries.ts'
import type { ModelEntry } from './model-entry.ts'
import type { ModelVersion } from './model-version.ts'
import { needsReload } from './needs-reload.ts'
import { bringsFiles, findModel, type PolledModel, type PollOptions, pollModel, pollOverrides } from './poll-model.ts'
import type { VersionUpdate } from './update-version.ts'
import type { VersionLoader } from './version-loader.ts'

/** What a model loader works with. */
export interface ModelLoaderParts extends EnsembleLoaderParts {
  readonly poll: PollOptions
  readonly versions: VersionLoader
}

/** Loads models as their repository has them: looks whether they have changed, and brings up all of their versions or none. */
export class ModelLoader {
  readonly #poll: PollOptions
  readonly #versions: VersionLoader
  readonly #entries: ModelEntries
  readonly #ensembles: Ensembles
  readonly #ensembleLoader: EnsembleLoader
  readonly #logger: Logger

  constructor(parts: ModelLoaderParts) {
    this.#poll = parts.poll
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
      const polled = await this.#pollEntry(entry, operation)
      entry.isExplicit ||= operation.isRequested(id)
      const model = (polled ?? entry.loaded)!
      if (model.definition.config.ensembleScheduling === undefined) {
        if (polled !== undefined) await this.#loadModel(entry, polled, operation)
        return
      }
      try {
        const versions = this.#chooseVersions(entry, model.definition)
        await this.#ensembleLoader.load(entry, model, versions, polled !== undefined, operation)
      } finally {
        // From here on nobody reads its files.
        await polled?.dispose()
      }
    })
  }

  async #loadModel(entry: ModelEntry, polled: PolledModel, operation: LoadOperation): Promise<void> {
    const loaded = await this.#loadVersions(entry, polled, operation).catch(async (error: unknown) => {
      await polled.dispose()
      throw error
    })
    entry.loaded = polled
    this.#entries.live.whenGone(loaded, `the files of model '${entry.id}'`, polled.dispose)
  }

  async #pollEntry(entry: ModelEntry, operation: LoadOperation): Promise<PolledModel | undefined> {
    const { id } = entry
    const options = operation.optionsOf(id)
    let place: ModelPlace | undefined
    try {
      if (!bringsFiles(options)) place = await findModel(id, this.#poll, operation.signal)
      const polled =
        place === undefined
          ? await pollOverrides(id, options, this.#poll)
          : await pollModel(place, options, entry.loaded?.fingerprint, this.#poll, operation.signal)
      this.#entries.forgiveLack(id)
      for (const { message, ...place } of polled?.definition.notes ?? []) {
        this.#logger.warn({ model: id, ...place }, `configuration of model '${id}': ${message}`)
      }
      return polled
    } catch (cause) {
      const error = TritonError.from(cause)
      if (place !== undefined) this.#entries.lackVersions(entry)
      this.#logger.error({ model: id }, `Poll failed for model '${id}': ${errorDetail(error)}`)
      this.#entries.listener.onUnavailable(id, undefined, error.reason)
      throw new TritonError('INTERNAL', `failed to load '${id}', failed to poll from model repository`, { cause })
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
    throw loadFailure(id, entry.failure)
  }

  async #loadVersions(
    entry: ModelEntry,
    polled: PolledModel,
    { signal }: LoadOperation,
  ): Promise<readonly ModelVersion[]> {
    const { id, loaded: before } = entry
    const { definition } = polled
    const versions = this.#chooseVersions(entry, definition)
    for (const version of versions) entry.loading(version)
    const toUpdate = (version: number): ModelVersion | undefined =>
      before === undefined || needsReload(before, polled, version) ? undefined : entry.serving(version)
    const result = await this.#versions.load(definition, versions, toUpdate, signal)
    if (result.failed.length > 0) throw giveBack(entry, result, this.#entries, this.#logger)
    entry.failure = undefined
    this.#ensembles.forget(id)
    for (const model of result.loaded) this.#entries.serve(entry, model)
    for (const update of result.updates) this.#update(entry, update)
    for (const { version } of entry.ready) if (!versions.includes(version)) this.#entries.retire(entry, version)
    this.#ensembles.refresh(id)
    return result.loaded
  }

  #update({ id }: ModelEntry, update: VersionUpdate): void {
    update.commit()
    this.#logger.info(
      { model: id, version: update.version },
      `successfully updated the instances of '${id}' version ${update.version}`,
    )
  }
}
