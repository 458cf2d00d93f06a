import { TritonError } from '../errors.ts'
import type { RepositoryLook } from '../repository/model-place.ts'
import type { Logger } from '../util/logger.ts'

/** Tells what is wrong with repositories. What stays wrong from look to look is told once. */
export class LookLog {
  readonly #logger: Logger
  /** Ids that were in two repositories at the last look. */
  #duplicates: ReadonlySet<string> = new Set()
  /** Why repositories could not be read at the last look, by path. */
  #failures: ReadonlyMap<string, string> = new Map()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  add({ models, unreadable }: RepositoryLook): void {
    this.#addFailures(unreadable)
    const duplicates = new Set<string>()
    for (const [id, place] of models) if (place === 'duplicate') duplicates.add(id)
    for (const model of duplicates) {
      if (this.#duplicates.has(model)) continue
      this.#logger.error({ model }, `failed to poll model '${model}': not unique across all model repositories`)
    }
    this.#duplicates = duplicates
  }

  #addFailures(unreadable: ReadonlyMap<string, unknown>): void {
    const failures = new Map<string, string>()
    for (const [path, err] of unreadable) {
      const why = TritonError.from(err).message
      failures.set(path, why)
      if (this.#failures.get(path) === why) continue
      this.#logger.error({ err }, `failed to poll model repository '${path}'; its models stay as they are: ${why}`)
    }
    for (const path of this.#failures.keys()) {
      if (!failures.has(path)) this.#logger.info({}, `model repository '${path}' can be read again`)
    }
    this.#failures = failures
  }
}
