import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import type { Logger } from '../util/logger.ts'
import { stepModels } from './ensemble-graph.ts'
import type { Ensembles } from './ensembles.ts'
import { readEnsemble } from './load-ensemble.ts'
import { giveBack, loadFailure } from './load-failure.ts'
import type { LoadOperation } from './load-operation.ts'
import type { LoadWaits } from './load-waits.ts'
import type { ModelEntries } from './model-entries.ts'
import type { ModelEntry } from './model-entry.ts'
import type { PolledModel } from './poll-model.ts'
import { givenUp } from './version-loader.ts'

/** What an ensemble loader works with. */
export interface EnsembleLoaderParts {
  readonly entries: ModelEntries
  readonly ensembles: Ensembles
  readonly waits: LoadWaits
  readonly logger: Logger
}

/** Loads ensembles, each after the models of its steps. */
export class EnsembleLoader {
  readonly #entries: ModelEntries
  readonly #ensembles: Ensembles
  readonly #waits: LoadWaits
  readonly #logger: Logger

  constructor({ entries, ensembles, waits, logger }: EnsembleLoaderParts) {
    this.#entries = entries
    this.#ensembles = ensembles
    this.#waits = waits
    this.#logger = logger
  }

  /**
   * Loads what the ensemble needs, then puts it into service.
   * @param ensemble as it is now.
   * @param hasChanged false when it is wanted in this form already.
   * @throws TritonError; an ensemble that cannot be served in this form is out of service then, any other goes on.
   */
  async load(
    entry: ModelEntry,
    ensemble: PolledModel,
    versions: readonly number[],
    hasChanged: boolean,
    operation: LoadOperation,
  ): Promise<void> {
    const { name } = entry
    const { definition } = ensemble
    this.#ensembles.announce(definition.config)
    try {
      const read = await readEnsemble(definition, versions)
      await this.#loadSteps(definition.config, operation)
      if (hasChanged) this.#ensembles.serve(read)
    } catch (cause) {
      this.#ensembles.revert(name)
      const error = TritonError.from(cause)
      const failed = versions.map((version) => ({ version, state: 'UNAVAILABLE' as const, error }))
      throw giveBack(entry, { loaded: [], updates: [], failed }, this.#entries, this.#logger)
    }
    const problem = this.#ensembles.problemOf(name)
    // Also what cannot be served: it is, without another load, as soon as its steps are.
    entry.loaded = ensemble
    entry.failure = undefined
    if (problem === undefined) return
    this.#entries.lackVersions(entry)
    this.#logger.error({ model: name }, problem.message)
    this.#entries.listener.onUnavailable(name, undefined, problem.reason)
    throw loadFailure(name, problem.message, 'INVALID_ARG', problem)
  }

  /** What fails is logged by its own load, and the ensemble says what it misses. */
  async #loadSteps(config: ModelConfig, operation: LoadOperation): Promise<void> {
    const loads = [...stepModels(config)].map((step) =>
      this.#waits.during(config.name, step, () => operation.load(step)),
    )
    await Promise.allSettled(loads)
    if (operation.signal.aborted) throw givenUp(operation.signal)
  }
}
