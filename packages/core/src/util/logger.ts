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
