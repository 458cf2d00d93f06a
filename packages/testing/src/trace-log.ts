import type { TracedRequest, TraceExporter } from '@triton-ts/core'

/** An exporter of traces that remembers what it is told. */
export interface TraceLog extends TraceExporter {
  /** In order: `<model> <activity>`, and what an endpoint marks alone. */
  readonly activities: readonly string[]
  /** The requests of traces, and those that served them. */
  readonly requests: readonly TracedRequest[]
  /** Forgets all. */
  clear(): void
}

/** @param context what backends are told of the trace around a request. Default `''`: there is none. */
export function traceLog(context = ''): TraceLog {
  const activities: string[] = []
  const requests: TracedRequest[] = []
  return {
    mode: 'log',
    settings: {},
    activities,
    requests,
    join: () => undefined,
    open: () => ({
      activity(request, name, _time, source) {
        if (name === 'REQUEST_START') requests.push(request)
        activities.push(source === 'endpoint' ? name : `${request.modelName} ${name}`)
      },
      tensor(request, activity, name) {
        activities.push(`${request.modelName} ${activity} ${name}`)
      },
      contextOf: () => context,
      end() {},
    }),
    clear() {
      activities.length = 0
      requests.length = 0
    },
    async dispose() {},
  }
}
