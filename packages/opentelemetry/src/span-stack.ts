import { type Context, type HrTime, type Span, type Tracer, trace } from '@opentelemetry/api'

interface OpenSpan {
  readonly name: string
  readonly span: Span
}

/** The spans of one request that have begun and not ended: that of its model first. */
export class SpanStack {
  readonly #tracer: Tracer
  readonly #outer: Context
  #open: OpenSpan[] = []

  /** @param outer of the span that the request's own is in. */
  constructor(tracer: Tracer, outer: Context) {
    this.#tracer = tracer
    this.#outer = outer
  }

  /** The span of the model. */
  get first(): Span | undefined {
    return this.#open[0]?.span
  }

  /** What a span that begins now is in. */
  get context(): Context {
    const top = this.#open.at(-1)
    return top === undefined ? this.#outer : trace.setSpan(this.#outer, top.span)
  }

  begin(name: string, startTime: HrTime): Span {
    const span = this.#tracer.startSpan(name, { startTime }, this.context)
    this.#open.push({ name, span })
    return span
  }

  event(name: string, time: HrTime): void {
    this.#open.at(-1)?.span.addEvent(name, time)
  }

  /** Ends the latest span of that name, if there is one. */
  end(name: string, time: HrTime): void {
    const place = this.#open.findLastIndex((open) => open.name === name)
    for (const { span } of place < 0 ? [] : this.#open.splice(place, 1)) span.end(time)
  }

  endAll(time: HrTime): void {
    for (const { span } of this.#open.reverse()) span.end(time)
    this.#open = []
  }
}
