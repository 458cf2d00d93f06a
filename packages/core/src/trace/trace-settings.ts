import { TritonError } from '../errors.ts'

export const traceLevels = ['TIMESTAMPS', 'TENSORS'] as const

/** `TIMESTAMPS`: points in time of a request. `TENSORS`: the values of its inputs and outputs. */
export type TraceLevel = (typeof traceLevels)[number]

/** What can be changed while the Server runs, for all models or for one. */
export interface TraceChoice {
  /** What is traced. Empty, which Triton calls `OFF`: nothing. */
  readonly level: readonly TraceLevel[]
  /** Every rate-th request is traced. 0: only those that belong to a trace of their caller. */
  readonly rate: number
  /** How many traces are still to be made; -1: any number. */
  readonly count: number
  /** After how many traces `<file>.0`, `<file>.1`... are written; 0: one file. */
  readonly logFrequency: number
}

/** Settings of traces as they are in force. */
export interface TraceSettings extends TraceChoice {
  /** Where traces are written. */
  readonly file: string
  /** `triton`: to `file`; else the name of the exporter, `opentelemetry` for instance. */
  readonly mode: string
  /** What the exporter tells of its own settings. */
  readonly exporter: Readonly<Record<string, string>>
}

/** New values; null takes the one back that was set here, so that the one of all models, or of the start, holds again. */
export type TraceSettingsChange = { readonly [Key in keyof TraceChoice]?: TraceChoice[Key] | null | undefined }

const integers = { rate: [0, 'trace_rate'], count: [-1, 'trace_count'], logFrequency: [0, 'log_frequency'] } as const

/** @throws TritonError INVALID_ARG for values that no setting can have. */
export function checkTraceChange(change: TraceSettingsChange): void {
  for (const level of change.level ?? []) {
    if (!traceLevels.includes(level)) {
      throw new TritonError('INVALID_ARG', `trace level '${level}' must be one of ${traceLevels.join(', ')}`)
    }
  }
  for (const key of ['rate', 'count', 'logFrequency'] as const) {
    const value = change[key] ?? 0
    const [least, name] = integers[key]
    if (Number.isInteger(value) && value >= least) continue
    throw new TritonError('INVALID_ARG', `Unable to parse '${name}'. Expecting value >= ${least}, got:${value}`)
  }
}

/** Why nothing is traced with these settings; undefined when they are in order. */
export function whyInvalid({ level, rate, file, mode }: TraceSettings): string | undefined {
  if (level.length === 0) return 'tracing is disabled'
  if (rate === 0) return 'sample rate must be non-zero'
  if (mode === fileMode && file === '') return 'trace file name is not given'
  return undefined
}

/** The mode in which traces go to a file. */
export const fileMode = 'triton'
