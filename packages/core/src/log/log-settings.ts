import { TritonError } from '../errors.ts'

/** `default` and `ISO8601` are Triton's; `json` is one JSON object in each line. */
export const logFormats = ['default', 'ISO8601', 'json'] as const

export type LogFormat = (typeof logFormats)[number]

/** What is logged and how, as the logging endpoints of HTTP and gRPC show it. */
export interface LogSettings {
  /** The file that lines are appended to; `''`: standard error, or wherever the application's own logger writes. */
  readonly logFile: string
  readonly logInfo: boolean
  readonly logWarning: boolean
  readonly logError: boolean
  /** Verbose messages up to this level are logged; 0: none. */
  readonly logVerboseLevel: number
  /** That of an application's own logger is its own affair, and shown as `default`. */
  readonly logFormat: LogFormat
}

/** What is left out, or undefined, stays as it is. */
export interface LogSettingsChange {
  /** Refused: nobody can move the log of a server that runs. */
  readonly logFile?: string | undefined
  readonly logInfo?: boolean | undefined
  readonly logWarning?: boolean | undefined
  readonly logError?: boolean | undefined
  /** As in Triton a 32-bit integer; what is negative as such counts as 0. */
  readonly logVerboseLevel?: number | undefined
  /** One of `logFormats`. */
  readonly logFormat?: string | undefined
}

/** tritonserver's defaults. */
export const defaultLogSettings: LogSettings = {
  logFile: '',
  logInfo: true,
  logWarning: true,
  logError: true,
  logVerboseLevel: 0,
  logFormat: 'default',
}

export const isLogFormat = (text: string): text is LogFormat => (logFormats as readonly string[]).includes(text)

/**
 * The settings after a change. A change that is refused changes nothing; Triton keeps what comes before the mistake.
 * @param ownsFormat whether lines are formatted here.
 * @throws TritonError UNSUPPORTED for a log file, and for another format of a log that has its own; INVALID_ARG for a
 * format that there is not. Texts are those of Triton's gRPC server.
 */
export function changeLogSettings(
  { logFile, ...settings }: LogSettings,
  change: LogSettingsChange,
  ownsFormat: boolean,
): LogSettings {
  if (change.logFile !== undefined) {
    throw new TritonError('UNSUPPORTED', 'log file location can not be updated through network protocol')
  }
  const { logFormat = settings.logFormat, logVerboseLevel = settings.logVerboseLevel } = change
  if (!isLogFormat(logFormat)) {
    throw new TritonError('INVALID_ARG', `invalid argument for log_format, got: ${logFormat}`)
  }
  if (!ownsFormat && logFormat !== settings.logFormat) {
    throw new TritonError('UNSUPPORTED', 'log format can not be updated: the application has a logger of its own')
  }
  return {
    logFile,
    logInfo: change.logInfo ?? settings.logInfo,
    logWarning: change.logWarning ?? settings.logWarning,
    logError: change.logError ?? settings.logError,
    logVerboseLevel: Math.max(0, logVerboseLevel | 0),
    logFormat,
  }
}
