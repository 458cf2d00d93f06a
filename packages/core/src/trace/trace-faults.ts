import type { Logger } from '../util/logger.ts'

/** What takes traces costs no request: what it throws is logged, once as long as it is the same. */
export class TraceFaults {
  readonly #logger: Logger
  #last: string | undefined

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Undefined where `work` throws. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (err) {
      this.tell(err)
      return undefined
    }
  }

  tell(err: unknown): void {
    const reason = err instanceof Error ? err.message : String(err)
    if (reason !== this.#last) this.#logger.error({ err }, `traces are lost: what takes them failed: ${reason}`)
    this.#last = reason
  }
}
