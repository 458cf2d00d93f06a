import type { Logger } from '../util/logger.ts'
import type { MetricCollector, MetricFamilySnapshot } from './metric-family.ts'

/** Who else has metrics for the Server's page. */
export class MetricCollectors {
  readonly #entries = new Set<{ readonly collect: MetricCollector }>()
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Asks `collect` for every page, until what is returned is called. */
  add(collect: MetricCollector): () => void {
    const entry = { collect }
    this.#entries.add(entry)
    return () => {
      this.#entries.delete(entry)
    }
  }

  /** What each of them tells now, one after the other; one that throws is logged and left out. */
  *collect(): Generator<readonly MetricFamilySnapshot[], void> {
    for (const { collect } of [...this.#entries]) {
      let families: readonly MetricFamilySnapshot[] = []
      try {
        families = collect().filter((family) => family?.samples !== undefined)
      } catch (err) {
        this.#logger.error({ err }, 'a collector of metrics threw')
      }
      yield families
    }
  }
}
