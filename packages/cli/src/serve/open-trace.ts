import type { Logger, TraceOptions } from '@triton-ts/core'
import type { TraceSettings } from './trace-settings.ts'

/**
 * The trace options of a Server.
 * @throws TritonError UNAVAILABLE where OpenTelemetry is not installed.
 */
export async function openTrace({ options, openTelemetry }: TraceSettings, logger: Logger): Promise<TraceOptions> {
  if (openTelemetry === undefined) return options
  // Only where it is asked for: the packages behind it are large.
  const { otlp } = await import('@triton-ts/opentelemetry')
  return { ...options, exporter: await otlp({ ...openTelemetry, logger }) }
}
