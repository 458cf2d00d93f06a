import { TritonError } from '../../errors.ts'
import type { ModelDefinition } from '../../repository/model-definition.ts'
import type { ModelRepository } from '../../repository/model-repository.ts'
import { givenUp } from '../../util/given-up.ts'
import type { Logger } from '../../util/logger.ts'
import { giveBack, loadFailure } from '../load-failure.ts'
import type { LoadOperation } from '../load-operation.ts'
import type { LoadWaits } from '../load-waits.ts'
import type { ModelEntries } from '../model-entries.ts'
import type { ModelEntry } from '../model-entry.ts'
import { replaceLoaded } from '../model-files.ts'
import type { PolledModel } from '../poll-model.ts'
import { stepModels } from './ensemble-graph.ts'
import type { Ensembles } from './ensembles.ts'
import { readEnsemble } from './load-ensemble.ts'

/** What an ensemble loader works with. */
export interface EnsembleLoaderParts {
  readonly repository: ModelRepository
  readonly entries: ModelEntries
  readonly ensembles: Ensembles
  readonly waits: LoadWaits
  readonly logger: Logger
}

/** Loads ensembles, each after the models of its steps. */
export class EnsembleLoader {
  readonly #repository: ModelRepository
  readonly #entries: ModelEntries
  readonly #ensembles: Ensembles
  readonly #waits: LoadWaits
  readonly #logger: Logger

  constructor({ repository, entries, ensembles, waits, logger }: EnsembleLoaderParts) {
    this.#repository = repository
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
    const { id } = entry
    const { definition } = ensemble
    let replaced: Promise<void>
    try {
      const steps = await this.#stepIds(definition, operation.signal)
      this.#ensembles.announce(id, steps)
      // The files of one that has not changed may be gone: they were read once.
      const read = hasChanged ? await readEnsemble(definition, versions) : undefined
      await this.#loadSteps(id, steps, operation)
      // Also what cannot be served: it is, without another load, as soon as its steps are.
      replaced = replaceLoaded(entry, ensemble, entry.ready, this.#entries.live)
      entry.failure = undefined
      if (read === undefined) this.#ensembles.settle(id)
      else this.#ensembles.serve(read)
    } catch (cause) {
      this.#ensembles.settle(id)
      const error = operation.signal.aborted ? givenUp(operation.signal) : TritonError.from(cause)
      const failed = versions.map((version) => ({ version, state: 'UNAVAILABLE' as const, error }))
      throw giveBack(entry, { loaded: [], updates: [], failed }, this.#entries, this.#logger)
    }
    const problem = this.#ensembles.problemOf(id)
    if (problem === undefined) {
      if (hasChanged) await ensemble.files.keep(replaced, this.#entries.live, operation.signal)
      return
    }
    this.#entries.lackVersions(entry)
    this.#logger.error({ model: id }, problem.message)
    this.#entries.listener.onUnavailable(id, undefined, problem.reason)
    throw loadFailure(id, problem.message, 'INVALID_ARG', problem)
  }

  /** As in Triton, a step runs the model of its own namespace, or else the only one of its name. */
  #stepIds({ config, namespace }: ModelDefinition, signal: AbortSignal): Promise<string[]> {
    return Promise.all([...stepModels(config)].map((name) => this.#repository.resolve(namespace, name, signal)))
  }

  /** What fails is logged by its own load, and the ensemble says what it misses. */
  async #loadSteps(id: string, steps: readonly string[], operation: LoadOperation): Promise<void> {
    const loads = steps.map((step) => this.#waits.during(id, step, () => operation.load(step)))
    await Promise.allSettled(loads)
    if (operation.signal.aborted) throw givenUp(operation.signal)
  }
}
