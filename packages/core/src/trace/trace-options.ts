import type { TraceExporter } from './trace-exporter.ts'
import { checkTraceChange, fileMode, type TraceChoice, type TraceSettings } from './trace-settings.ts'

/**
 * Which requests are traced from the start, and where traces go; `updateTraceSettings` changes the first. Default: level
 * none, rate 1000, count -1, log frequency 0.
 */
export interface TraceOptions extends Partial<TraceChoice> {
  /**
   * A file of Triton's JSON format, which is this Server's alone: it is made anew, as are the numbered ones beside it.
   * Default: none, and without an exporter nothing is traced.
   */
  readonly file?: string | undefined
  /** Takes the traces instead of the file: `openTelemetry()`, or another. */
  readonly exporter?: TraceExporter | undefined
}

/** @throws TritonError INVALID_ARG for values that no setting can have. */
export function resolveTraceOptions({ exporter, file = '', ...choice }: TraceOptions): TraceSettings {
  checkTraceChange(choice)
  return {
    level: choice.level ?? [],
    rate: choice.rate ?? 1000,
    count: choice.count ?? -1,
    logFrequency: choice.logFrequency ?? 0,
    file,
    mode: exporter?.mode ?? fileMode,
    exporter: exporter?.settings ?? {},
  }
}
