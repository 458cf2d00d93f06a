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

  /** What all of them tell now; one that throws is logged and left out. */
  collect(): MetricFamilySnapshot[] {
    return [...this.#entries].flatMap(({ collect }) => {
      try {
        return collect()
      } catch (err) {
        this.#logger.error({ err }, 'a collector of metrics threw')
        return []
      }
    })
  }
}
