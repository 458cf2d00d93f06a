import { type Context, type HrTime, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api'
import type { ActivitySource, TracedRequest, TraceRecorder, TraceStart } from '@triton-ts/core'
import { hrTime } from './hr-time.ts'
import { SpanStack } from './span-stack.ts'
import { writeTraceContext } from './trace-context.ts'

/**
 * Makes spans of what happens to a client's request: `InferRequest`, in it one with the name of the model, in that
 * `compute`; activities are their events. Nested requests have the span of their model in that of the one that they
 * serve. Activities of a backend that end in `_START` and `_END` are a span. Source: Triton, server/src/tracer.cc.
 */
export class SpanRecorder implements TraceRecorder {
  readonly traceId: string
  readonly #tracer: Tracer
  readonly #root: Span
  readonly #rootContext: Context
  readonly #epoch: bigint
  readonly #requests = new Map<bigint, SpanStack>()

  /** @param parent of the span that the request is in. */
  constructor(tracer: Tracer, parent: Context, { time, epoch }: TraceStart) {
    this.#tracer = tracer
    this.#epoch = epoch
    this.#root = tracer.startSpan('InferRequest', { kind: SpanKind.SERVER, startTime: hrTime(epoch + time) }, parent)
    this.#rootContext = trace.setSpan(parent, this.#root)
    this.traceId = this.#root.spanContext().traceId
  }

  activity(request: TracedRequest, name: string, time: bigint, source: ActivitySource): void {
    const at = hrTime(this.#epoch + time)
    if (source === 'endpoint') {
      this.#root.addEvent(name, at)
      return
    }
    const spans = this.#spansOf(request)
    if (source === 'backend') noteBackend(spans, name, at)
    else this.#noteEngine(spans, request, name, at)
  }

  /** Values of tensors are not for spans. */
  tensor(): void {}

  contextOf({ id }: TracedRequest): string {
    const span = this.#requests.get(id)?.first
    return span === undefined ? '' : writeTraceContext(span.spanContext())
  }

  end(time: bigint): void {
    const at = hrTime(this.#epoch + time)
    for (const spans of this.#requests.values()) spans.endAll(at)
    this.#root.end(at)
  }

  #noteEngine(spans: SpanStack, request: TracedRequest, name: string, at: HrTime): void {
    if (name === 'REQUEST_START') describe(spans.begin(request.modelName, at), request)
    if (name === 'COMPUTE_START') spans.begin('compute', at)
    spans.event(name, at)
    if (name === 'COMPUTE_END') spans.end('compute', at)
    if (name !== 'REQUEST_END') return
    spans.endAll(at)
    this.#requests.delete(request.id)
  }

  #spansOf({ id, parentId }: TracedRequest): SpanStack {
    let spans = this.#requests.get(id)
    if (spans === undefined) {
      spans = new SpanStack(this.#tracer, this.#requests.get(parentId)?.context ?? this.#rootContext)
      this.#requests.set(id, spans)
    }
    return spans
  }
}

/** What a backend names `X_START` and `X_END` is a span X. */
function noteBackend(spans: SpanStack, name: string, at: HrTime): void {
  const [, span, edge] = /^(.+)_(START|END)$/s.exec(name) ?? []
  if (span !== undefined && edge === 'START') spans.begin(span, at)
  spans.event(name, at)
  if (span !== undefined && edge === 'END') spans.end(span, at)
}

/** Attributes as Triton names them. */
function describe(span: Span, { id, parentId, modelName, modelVersion, requestId }: TracedRequest): void {
  span.setAttributes({
    'triton.model_name': modelName,
    'triton.model_version': modelVersion,
    'triton.trace_id': Number(id),
    'triton.trace_parent_id': Number(parentId),
    ...(requestId !== '' && { 'triton.request_id': requestId }),
  })
}
