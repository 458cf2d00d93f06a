import type { Logger } from '../util/logger.ts'
import { ApplicationLog } from './application-log.ts'
import { calmLog, isServerLog, type ServerLog } from './server-log.ts'

/**
 * The log of a Server that was given this logger.
 * @param verbose level of verbose messages; undefined: what the logger is set to.
 */
export function openServerLog(logger: Logger, verbose: number | undefined): ServerLog {
  const log = calmLog(isServerLog(logger) ? logger : new ApplicationLog(logger))
  log.update({ logVerboseLevel: verbose })
  return log
}
