import PQueue from 'p-queue'
import { errorDetail, TritonError } from '../errors.ts'
import type { ModelPlace } from '../repository/model-place.ts'
import { givenUp } from '../util/given-up.ts'
import type { Logger } from '../util/logger.ts'
import { loadFailure, notPolled } from './load-failure.ts'
import type { LoadOperation } from './load-operation.ts'
import type { ModelEntries } from './model-entries.ts'
import type { ModelEntry } from './model-entry.ts'
import { bringsFiles, findModel, type PolledModel, type PollOptions, pollModel, pollOverrides } from './poll-model.ts'

/** Reads what a model is now, for a load. */
export class ModelPoller {
  readonly #options: PollOptions
  readonly #entries: ModelEntries
  readonly #logger: Logger
  /** Thousands of models at once would open thousands of files, and hold up the event loop. */
  readonly #looks = new PQueue({ concurrency: 16 })

  constructor(options: PollOptions, entries: ModelEntries, logger: Logger) {
    this.#options = options
    this.#entries = entries
    this.#logger = logger
  }

  /**
   * @returns undefined for what has not changed.
   * @throws TritonError with Triton's texts, after it was logged.
   */
  async poll(entry: ModelEntry, operation: LoadOperation): Promise<PolledModel | undefined> {
    const { id, loaded } = entry
    const { signal } = operation
    const options = operation.optionsOf(id)
    // The agents of an ensemble that did not come up have heard that it failed: they hear of the next load anew.
    const known = loaded?.files.isOver ? undefined : loaded?.fingerprint
    let place: ModelPlace | undefined
    try {
      if (!bringsFiles(options)) place = await this.#looks.add(() => findModel(id, this.#options, signal))
      const polled =
        place === undefined
          ? await pollOverrides(entry, options, this.#options, signal)
          : await pollModel(place, options, known, this.#options, signal)
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
      if (signal.aborted) throw loadFailure(id, givenUp(signal).message, 'CANCELLED', cause)
      throw notPolled(id, cause)
    }
  }
}
