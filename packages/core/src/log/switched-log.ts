import type { Severity } from './log-line.ts'
import { changeLogSettings, defaultLogSettings, type LogSettings, type LogSettingsChange } from './log-settings.ts'
import type { ServerLog } from './server-log.ts'

/**
 * Triton's switches in front of whatever prints. A message of `debug` has a level: the number in its field `verbose`,
 * or 1.
 */
export abstract class SwitchedLog implements ServerLog {
  readonly #ownsFormat: boolean
  #settings: LogSettings

  /** @param ownsFormat whether `print` follows the format of the settings. */
  constructor(settings: Partial<LogSettings>, ownsFormat: boolean) {
    this.#settings = { ...defaultLogSettings, ...settings }
    this.#ownsFormat = ownsFormat
  }

  protected abstract print(severity: Severity, fields: object, message: string): void

  get settings(): LogSettings {
    return this.#settings
  }

  update(change: LogSettingsChange): LogSettings {
    this.#settings = changeLogSettings(this.#settings, change, this.#ownsFormat)
    return this.#settings
  }

  debug(fields: object, message: string): void {
    if (this.#settings.logVerboseLevel >= verboseLevel(fields)) this.print('debug', fields, message)
  }

  info(fields: object, message: string): void {
    if (this.#settings.logInfo) this.print('info', fields, message)
  }

  warn(fields: object, message: string): void {
    if (this.#settings.logWarning) this.print('warn', fields, message)
  }

  error(fields: object, message: string): void {
    if (this.#settings.logError) this.print('error', fields, message)
  }
}

const verboseLevel = (fields: object): number => ('verbose' in fields ? Number(fields.verbose) : 1)
