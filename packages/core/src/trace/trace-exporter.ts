import type { Tensor } from '../request/tensor.ts'

/** The value of a header of a request, by its name in lower case. */
export type HeaderReader = (name: string) => string | undefined

/** A request of a trace: the client's, or one that serves it. */
export interface TracedRequest {
  readonly id: bigint
  /** The one that it serves; 0 for the client's. */
  readonly parentId: bigint
  readonly modelName: string
  readonly modelVersion: number
  readonly requestId: string
}

/** Who tells of an activity: the endpoint that the client talks to, the engine, or a backend with names of its own. */
export type ActivitySource = 'endpoint' | 'engine' | 'backend'

/** Takes down what happens to a client's request and to those that serve it. Times are nanoseconds of a steady clock. */
export interface TraceRecorder {
  /** The id by which other systems know the trace, a W3C trace id for instance. Default: the number of the request. */
  readonly traceId?: string | undefined
  activity(request: TracedRequest, name: string, time: bigint, source: ActivitySource): void
  /** The tensor may change after the call. */
  tensor(request: TracedRequest, activity: string, name: string, tensor: Tensor): void
  /** W3C trace context as JSON, for what a backend does for the request elsewhere; `''` without one. */
  contextOf(request: TracedRequest): string
  /** Nothing more comes. */
  end(time: bigint): void
}

/** When a trace begins. */
export interface TraceStart {
  readonly time: bigint
  /** To be added to times of the trace for the time since 1970. */
  readonly epoch: bigint
}

/** Hands traces to another system. The Server owns it. */
export interface TraceExporter {
  /** What the settings call it: `trace_mode`. */
  readonly mode: string
  /** What the settings show of it. */
  readonly settings: Readonly<Record<string, string>>
  /**
   * A trace that goes on with the one of the caller, which is made whatever rate and count say; undefined where the
   * caller has none.
   * @param header of a network request; undefined for a call in this process.
   */
  join(header: HeaderReader | undefined, start: TraceStart): TraceRecorder | undefined
  /** A trace that nobody has begun. */
  open(start: TraceStart): TraceRecorder
  /** Hands over what is left, within a bounded time. */
  dispose(): Promise<void>
}
