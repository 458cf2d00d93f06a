/**
 * The part of pino's interface that the engine uses; a pino logger can be passed as it is. An error is in the field `err`,
 * as with pino; `module` names the part of the program, `file` and `line` the place in a library that says it.
 */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const silence = (): void => {}

/** A library says nothing unless it is asked to. */
export const silentLogger: Logger = { debug: silence, info: silence, warn: silence, error: silence }
