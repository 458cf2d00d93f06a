import type { Logger } from '../util/logger.ts'
import type { LogSettings, LogSettingsChange } from './log-settings.ts'

/** A logger with Triton's switches, which can be changed while it logs. */
export interface ServerLog extends Logger {
  readonly settings: LogSettings
  /** @throws TritonError for a change that is not possible; nothing has changed then. */
  update(change: LogSettingsChange): LogSettings
}

export const isServerLog = (logger: Logger): logger is ServerLog => 'settings' in logger && 'update' in logger

/** A log that cannot throw: a full disk under a log file must not cost a request. */
export function calmLog(log: ServerLog): ServerLog {
  const calm =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      try {
        log[level](fields, message)
      } catch {
        // There is nobody left to tell.
      }
    }
  return {
    debug: calm('debug'),
    info: calm('info'),
    warn: calm('warn'),
    error: calm('error'),
    get settings() {
      return log.settings
    },
    update: (change) => log.update(change),
  }
}
