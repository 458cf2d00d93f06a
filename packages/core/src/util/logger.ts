/** The part of pino's interface that the engine uses; a pino logger can be passed as it is. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const silence = (): void => {}

/** A library says nothing unless it is asked to. */
export const silentLogger: Logger = { debug: silence, info: silence, warn: silence, error: silence }

/** A logger that cannot throw: a full disk under a log file must not cost a request. */
export function calmLogger(logger: Logger): Logger {
  const calm =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      try {
        logger[level](fields, message)
      } catch {
        // There is nobody left to tell.
      }
    }
  return { debug: calm('debug'), info: calm('info'), warn: calm('warn'), error: calm('error') }
}
