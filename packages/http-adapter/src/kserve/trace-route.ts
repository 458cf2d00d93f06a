import type { TraceSettings, TraceSettingsChange } from '@triton-ts/core'
import {
  expectTracedModel,
  fixedTraceFile,
  readTraceLevel,
  readTraceNumber,
  traceSettingTexts,
} from '@triton-ts/protocol'
import type { JsonValue } from '../json/json-value.ts'
import { textResponse } from '../universal.ts'
import { asString, asStrings, find, memberAsArray } from './json-access.ts'
import { readJson } from './read-json.ts'
import type { Route, RouteContext } from './route.ts'

/** `GET` and `POST /v2[/models/{model}]/trace/setting`: the trace settings, after the change that the body asks for. */
export function traceRoute(context: RouteContext): Route {
  const { server } = context
  return {
    pattern: /^\/v2(?:\/models\/(?<model>[^/]+))?\/trace\/setting$/,
    methods: ['GET', 'POST'],
    api: 'trace',
    contentType: 'application/json',
    async handle(request, { model = '' }) {
      await expectTracedModel(server, model)
      const settings =
        request.method === 'POST'
          ? server.updateTraceSettings(await readJson(context, request, readChange), model)
          : server.traceSettings(model)
      return textResponse(200, 'application/json', JSON.stringify(settingsJson(settings)))
    },
  }
}

/** What is null is taken back, what is unknown is not looked at. */
function readChange(document: JsonValue | undefined): TraceSettingsChange {
  if (find(document, 'trace_file') !== undefined) throw fixedTraceFile()
  const setting = <T>(name: string, read: (value: JsonValue) => T): T | null | undefined => {
    const value = find(document, name)
    return value === undefined || value === null ? value : read(value)
  }
  return {
    level: setting('trace_level', () => readTraceLevel(asStrings(memberAsArray(document, 'trace_level'), ''))),
    rate: setting('trace_rate', (value) => readTraceNumber('trace_rate', asString(value, ''))),
    count: setting('trace_count', (value) => readTraceNumber('trace_count', asString(value, ''))),
    logFrequency: setting('log_frequency', (value) => readTraceNumber('log_frequency', asString(value, ''))),
  }
}

/** Every value is one text, but for the levels. */
function settingsJson(settings: TraceSettings): Record<string, string | readonly string[] | undefined> {
  const { trace_level, ...others } = traceSettingTexts(settings)
  return { trace_level, ...Object.fromEntries(Object.entries(others).map(([name, [value]]) => [name, value])) }
}
