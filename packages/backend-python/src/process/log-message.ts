import type { Logger } from '@triton-ts/core'
import type { LogMessage } from '../wire/messages.ts'

const levels = { ERROR: 'error', WARNING: 'warn', INFO: 'info', VERBOSE: 'debug' } as const

/** Says what the code of a model logs. */
export function logMessage({ level, message, file, line }: LogMessage, model: string, logger: Logger): void {
  logger[levels[level] ?? 'info']({ model, ...(file !== undefined && { file, line }) }, message)
}
