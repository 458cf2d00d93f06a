import { type TraceSettingsChange, TritonError } from '@triton-ts/core'
import {
  expectTracedModel,
  fixedTraceFile,
  readTraceLevel,
  readTraceNumber,
  traceSettingTexts,
} from '@triton-ts/protocol'
import type { MethodEntry } from '../schema/services.ts'
import { inferenceService, type ServiceContext } from '../service-context.ts'

interface TraceRequest {
  readonly settings: Readonly<Record<string, { readonly value: readonly string[] }>>
  readonly model_name: string
}

/** `TraceSetting`: the trace settings, after the change that the request asks for. */
export function traceMethod({ server, services }: ServiceContext): MethodEntry {
  return services.unary<TraceRequest>(inferenceService, 'TraceSetting', async ({ settings, model_name: model }) => {
    await expectTracedModel(server, model)
    const now =
      Object.keys(settings).length === 0
        ? server.traceSettings(model)
        : server.updateTraceSettings(readChange(settings), model)
    const texts = Object.entries(traceSettingTexts(now))
    return { settings: Object.fromEntries(texts.map(([name, value]) => [name, { value }])) }
  })
}

/** A setting without a value is taken back, an unknown one is not looked at. */
function readChange(settings: TraceRequest['settings']): TraceSettingsChange {
  if (settings.trace_file !== undefined) throw fixedTraceFile()
  const number = (name: 'trace_rate' | 'trace_count' | 'log_frequency'): number | null | undefined => {
    const values = settings[name]?.value
    if (values === undefined) return undefined
    const [text] = values
    if (text === undefined) return null
    if (values.length > 1) throw new TritonError('INVALID_ARG', `expect only 1 value for '${name}'`)
    return readTraceNumber(name, text, ' ')
  }
  const words = settings.trace_level?.value
  return {
    level: words?.length === 0 ? null : words && readTraceLevel(words),
    rate: number('trace_rate'),
    count: number('trace_count'),
    logFrequency: number('log_frequency'),
  }
}
