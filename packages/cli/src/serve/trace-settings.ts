import type { TraceLevel, TraceOptions } from '@triton-ts/core'
import type { ParsedFlags } from '../flags/parse-flags.ts'
import { type TraceWord, traceInteger, traceLevel, traceMode, traceWord } from './trace-words.ts'

/** What tritonserver's flags say of traces. */
export interface TraceSettings {
  readonly options: TraceOptions
  /** Where spans go; absent unless the mode is `opentelemetry`. */
  readonly openTelemetry?: OpenTelemetrySettings
  readonly notices: readonly string[]
}

/** What is given of `--trace-config=opentelemetry,...`, and the limits of the queue in any case. */
export interface OpenTelemetrySettings {
  readonly url?: string
  readonly resource: Readonly<Record<string, string>>
  readonly maxQueueSize: number
  readonly scheduleDelay: number
  readonly maxExportBatchSize: number
  /** As the trace endpoints show them. */
  readonly settings: Readonly<Record<string, string>>
}

const deprecated = [
  ['trace-file', 'triton,file=<filepath>'],
  ['trace-level', 'level=<OFF|TIMESTAMPS|TENSORS>'],
  ['trace-rate', 'rate=<rate value>'],
  ['trace-count', 'count=<count value>'],
  ['trace-log-frequency', 'triton,log-frequency=<log frequency value>'],
] as const

/** Which settings a mode has; those without one are for all. */
const known = {
  all: ['level', 'rate', 'count', 'mode'],
  triton: ['file', 'log-frequency'],
  opentelemetry: ['url', 'resource', 'bsp_max_queue_size', 'bsp_schedule_delay', 'bsp_max_export_batch_size'],
}

/**
 * The settings of traces. What `--trace-config` says is stronger than the deprecated flags.
 * @param environment has `OTEL_BSP_MAX_QUEUE_SIZE` and the like.
 * @throws UsageError
 */
export function traceSettings({ values, given }: ParsedFlags, environment: NodeJS.ProcessEnv): TraceSettings {
  const words = values['trace-config'].map(traceWord)
  const last = (setting: string, mode?: TraceWord['mode']): string | undefined =>
    words.findLast((word) => word.mode === mode && word.setting === setting)?.value
  const integer = (setting: string, otherwise: number, mode?: 'triton'): number => {
    const text = last(setting, mode)
    return text === undefined
      ? otherwise
      : traceInteger(text, `trace-config ${mode ? `${mode},` : ''}${setting}`, 'int')
  }
  const isOpenTelemetry = traceMode(last('mode') ?? 'triton', 'trace-config mode') === 'opentelemetry'
  const options: TraceOptions = {
    level: level(values['trace-level'], words),
    // Triton keeps these without a sign.
    rate: integer('rate', values['trace-rate']) >>> 0,
    count: Math.max(-1, integer('count', values['trace-count'])),
    ...(!isOpenTelemetry && {
      logFrequency: integer('log-frequency', values['trace-log-frequency'], 'triton') >>> 0,
      file: last('file', 'triton') ?? values['trace-file'],
    }),
  }
  const old = deprecated.filter(([flag]) => given.has(flag))
  const notices = [
    ...old.map(([flag, instead]) => `'--${flag}' has been deprecated! Please use '--trace-config ${instead}' instead.`),
    ...words.filter(isUnknown).map(({ mode, setting }) => {
      return `--trace-config=${mode === undefined ? '' : `${mode},`}${setting} has no effect: there is no such setting`
    }),
  ]
  return { options, ...(isOpenTelemetry && { openTelemetry: openTelemetry(words, environment) }), notices }
}

function level(old: readonly string[], words: readonly TraceWord[]): readonly TraceLevel[] {
  const asked = words.filter(({ mode, setting }) => mode === undefined && setting === 'level').map(({ value }) => value)
  const before = traceLevel(old, 'trace-level')
  const now = traceLevel(asked, 'trace-config level')
  const isOff = (old.length > 0 && before.length === 0) || (asked.length > 0 && now.length === 0)
  return isOff ? [] : [...new Set([...before, ...now])]
}

const isUnknown = ({ mode, setting }: TraceWord): boolean => !known[mode ?? 'all'].includes(setting)

function openTelemetry(words: readonly TraceWord[], environment: NodeJS.ProcessEnv): OpenTelemetrySettings {
  const own = words.filter((word) => word.mode === 'opentelemetry' && !isUnknown(word))
  const last = new Map(own.map(({ setting, value }) => [setting, value]))
  const limit = (setting: string, preset: string): number => {
    const text = last.get(setting)
    if (text !== undefined) return traceInteger(text, `trace-config opentelemetry,${setting}`, 'uint32')
    const variable = `OTEL_${setting.toUpperCase()}`
    return traceInteger(environment[variable] || preset, variable, 'uint32')
  }
  const [maxQueueSize, scheduleDelay, maxExportBatchSize] = [
    limit('bsp_max_queue_size', '2048'),
    limit('bsp_schedule_delay', '5000'),
    limit('bsp_max_export_batch_size', '512'),
  ]
  const url = last.get('url')
  return {
    ...(url !== undefined && { url }),
    resource: resource(own),
    maxQueueSize,
    scheduleDelay,
    maxExportBatchSize,
    settings: {
      ...Object.fromEntries(last),
      bsp_max_queue_size: String(maxQueueSize),
      bsp_schedule_delay: String(scheduleDelay),
      bsp_max_export_batch_size: String(maxExportBatchSize),
    },
  }
}

/** `resource=<key>=<value>`, any number of them. */
function resource(words: readonly TraceWord[]): Record<string, string> {
  const attributes = words
    .filter(({ setting }) => setting === 'resource')
    .map(({ value }) => {
      const at = value.indexOf('=')
      return at === -1 ? ([value, value] as const) : ([value.slice(0, at), value.slice(at + 1)] as const)
    })
  return Object.fromEntries(attributes)
}
