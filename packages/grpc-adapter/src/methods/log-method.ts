import { type LogSettings, type LogSettingsChange, TritonError } from '@triton-ts/core'
import type { MethodEntry } from '../schema/services.ts'
import { inferenceService, type ServiceContext } from '../service-context.ts'

/** `inference.LogSettingsRequest.SettingValue`. */
interface LogValue {
  readonly bool_param?: boolean
  readonly uint32_param?: number
  readonly string_param?: string
}

interface LogRequest {
  readonly settings: Readonly<Record<string, LogValue>>
}

/** `LogSettings`: the log settings, after the change that the request asks for. */
export function logMethod({ server, services }: ServiceContext): MethodEntry {
  return services.unary<LogRequest>(inferenceService, 'LogSettings', ({ settings }) => {
    const isChange = Object.keys(settings).length > 0
    return { settings: toMessage(isChange ? server.updateLogSettings(readChange(settings)) : server.logSettings()) }
  })
}

/** Unknown settings are not looked at. */
function readChange(settings: LogRequest['settings']): LogSettingsChange {
  const setting = <Field extends keyof LogValue>(
    name: string,
    field: Field,
    kind: string,
  ): LogValue[Field] | undefined => {
    const value = settings[name]
    if (value === undefined || value[field] !== undefined) return value?.[field]
    throw new TritonError('INVALID_ARG', `expect ${kind} for '${name}'`)
  }
  // Refused whatever it is, and whatever else is wrong.
  if (settings.log_file !== undefined) return { logFile: '' }
  return {
    logInfo: setting('log_info', 'bool_param', 'boolean'),
    logWarning: setting('log_warning', 'bool_param', 'boolean'),
    logError: setting('log_error', 'bool_param', 'boolean'),
    logVerboseLevel: setting('log_verbose_level', 'uint32_param', 'int32'),
    logFormat: setting('log_format', 'string_param', 'string'),
  }
}

const toMessage = (settings: LogSettings): Record<string, LogValue> => ({
  log_file: { string_param: settings.logFile },
  log_info: { bool_param: settings.logInfo },
  log_warning: { bool_param: settings.logWarning },
  log_error: { bool_param: settings.logError },
  log_verbose_level: { uint32_param: settings.logVerboseLevel },
  log_format: { string_param: settings.logFormat },
})
