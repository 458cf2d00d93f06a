import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api'
import type { HeaderReader } from '@triton-ts/core'

/**
 * What the headers `traceparent` and `tracestate` say of the caller; undefined where they say nothing that is valid.
 * Source: W3C Trace Context, https://www.w3.org/TR/trace-context/.
 */
export function readTraceContext(header: HeaderReader): SpanContext | undefined {
  const text = header('traceparent')?.trim()
  if (text === undefined) return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(text) ?? []
  // Later versions may say more.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  const state = header('tracestate')
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(state !== undefined && { traceState: createTraceState(state) }),
  }
  return isSpanContextValid(context) ? context : undefined
}

/** The same as a JSON object, as Triton's backends get it. */
export function writeTraceContext({ traceId, spanId, traceFlags, traceState }: SpanContext): string {
  const flags = traceFlags.toString(16).padStart(2, '0')
  const state = traceState?.serialize()
  return JSON.stringify({ traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state && { tracestate: state }) })
}
