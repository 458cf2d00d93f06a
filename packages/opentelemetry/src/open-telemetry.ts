import {
  context,
  isSpanContextValid,
  type SpanContext,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import type { HeaderReader, TraceExporter, TraceRecorder, TraceStart } from '@triton-ts/core'
import { SpanRecorder } from './span-recorder.ts'
import { readTraceContext } from './trace-context.ts'

export interface OpenTelemetryOptions {
  /** Where spans go. Default: the provider that the application has registered with `@opentelemetry/api`. */
  readonly tracerProvider?: TracerProvider | undefined
}

/** The name of the tracer, which is Triton's. */
const tracerName = 'triton-server'

/**
 * Traces of requests as spans of the application's own OpenTelemetry:
 * `new Server({ trace: { level: ['TIMESTAMPS'], exporter: openTelemetry() } })`. A request belongs to the active span; one
 * that came over the network and finds none, to the span that its header `traceparent` names. Such requests are traced
 * whatever `rate` and `count` say. The provider stays the application's.
 */
export function openTelemetry({ tracerProvider }: OpenTelemetryOptions = {}): TraceExporter {
  // A provider may be registered later.
  return new OpenTelemetryExporter(
    () => (tracerProvider ?? trace).getTracer(tracerName),
    {},
    async () => {},
  )
}

/** Opens the spans of traces. */
export class OpenTelemetryExporter implements TraceExporter {
  readonly mode = 'opentelemetry'
  readonly settings: Readonly<Record<string, string>>
  readonly dispose: () => Promise<void>
  readonly #tracer: () => Tracer

  constructor(tracer: () => Tracer, settings: Readonly<Record<string, string>>, dispose: () => Promise<void>) {
    this.#tracer = tracer
    this.settings = settings
    this.dispose = dispose
  }

  join(header: HeaderReader | undefined, start: TraceStart): TraceRecorder | undefined {
    const active = context.active()
    if (isValid(trace.getSpanContext(active))) return new SpanRecorder(this.#tracer(), active, start)
    const caller = header && readTraceContext(header)
    return caller && new SpanRecorder(this.#tracer(), trace.setSpanContext(active, caller), start)
  }

  open(start: TraceStart): TraceRecorder {
    return new SpanRecorder(this.#tracer(), context.active(), start)
  }
}

const isValid = (spanContext: SpanContext | undefined): boolean =>
  spanContext !== undefined && isSpanContextValid(spanContext)
