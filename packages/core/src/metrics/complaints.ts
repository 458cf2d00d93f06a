import type { Logger } from '../util/logger.ts'

/** How many metrics are complained of, of all that a backend may think of. */
const most = 1000

/** Tells of each metric that is left out once, and not with every page. */
export class Complaints {
  readonly #logger: Logger
  readonly #metrics = new Set<string>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  leftOut(metric: string, problem: string): void {
    if (this.#metrics.has(metric) || this.#metrics.size === most) return
    this.#metrics.add(metric)
    this.#logger.warn({ metric }, `metric '${metric}' is left out: ${problem}`)
  }
}
