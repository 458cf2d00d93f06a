import { isLogFormat, type LogSettings, type LogSettingsChange, TritonError } from '@triton-ts/core'
import type { JsonValue } from '../json/json-value.ts'
import { textResponse } from '../universal.ts'
import { asBoolean, asString, asUint64, find } from './json-access.ts'
import { readJson } from './read-json.ts'
import type { Route, RouteContext } from './route.ts'

/** `GET` and `POST /v2/logging`: the log settings, after the change that the body asks for. */
export function loggingRoute(context: RouteContext): Route {
  const { server } = context
  return {
    pattern: /^\/v2\/logging$/,
    methods: ['GET', 'POST'],
    api: 'logging',
    contentType: 'application/json',
    async handle(request) {
      const settings =
        request.method === 'POST'
          ? server.updateLogSettings(await readJson(context, request, readChange))
          : server.logSettings()
      return textResponse(200, 'application/json', JSON.stringify(settingsJson(settings)))
    },
  }
}

/** What is null stays as it is, what is unknown is not looked at. */
function readChange(document: JsonValue | undefined): LogSettingsChange {
  const setting = <T>(name: string, read: (value: JsonValue, label: string) => T): T | undefined => {
    const value = find(document, name)
    return value === undefined || value === null ? undefined : read(value, '')
  }
  return {
    // Refused whatever it is.
    logFile: setting('log_file', () => ''),
    logInfo: setting('log_info', asBoolean),
    logWarning: setting('log_warning', asBoolean),
    logError: setting('log_error', asBoolean),
    logVerboseLevel: setting('log_verbose_level', asInt32),
    logFormat: setting('log_format', asLogFormat),
  }
}

/** Triton reads 64 bits without a sign and keeps 32 with one. */
const asInt32 = (value: JsonValue, label: string): number => Number(BigInt.asIntN(32, BigInt(asUint64(value, label))))

/** Triton's HTTP server refuses a format with another code and text than its gRPC server. */
function asLogFormat(value: JsonValue, label: string): string {
  const format = asString(value, label)
  if (isLogFormat(format)) return format
  throw new TritonError('UNAVAILABLE', `invalid argument for --log_format, got: ${format}`)
}

const settingsJson = (settings: LogSettings): object => ({
  log_file: settings.logFile,
  log_info: settings.logInfo,
  log_warning: settings.logWarning,
  log_error: settings.logError,
  log_verbose_level: settings.logVerboseLevel,
  log_format: settings.logFormat,
})
