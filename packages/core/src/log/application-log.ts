import type { Logger } from '../util/logger.ts'
import type { Severity } from './log-line.ts'
import { SwitchedLog } from './switched-log.ts'

/** The logger of an application, whose lines look as it makes them. */
export class ApplicationLog extends SwitchedLog {
  readonly #logger: Logger

  constructor(logger: Logger) {
    super({}, false)
    this.#logger = logger
  }

  protected override print(severity: Severity, fields: object, message: string): void {
    this.#logger[severity](fields, message)
  }
}
