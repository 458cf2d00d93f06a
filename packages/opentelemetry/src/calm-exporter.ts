import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Logger } from '@triton-ts/core'

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0]

/** Tells once that spans are lost, and again when some were taken meanwhile. */
export class CalmExporter implements SpanExporter {
  readonly #inner: SpanExporter
  readonly #logger: Logger
  #isLosing = false

  constructor(inner: SpanExporter, logger: Logger) {
    this.#inner = inner
    this.#logger = logger
  }

  export(spans: ReadableSpan[], done: (result: Result) => void): void {
    this.#inner.export(spans, (result) => {
      this.#note(result, spans.length)
      // The queue takes an error for one of the process.
      done({ code: 0 })
    })
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown()
  }

  async forceFlush(): Promise<void> {
    await this.#inner.forceFlush?.()
  }

  #note({ code, error: err }: Result, spans: number): void {
    const isLost = code !== 0
    if (isLost && !this.#isLosing) {
      this.#logger.warn(
        { err, spans },
        `spans are lost: the collector does not take them: ${err?.message ?? 'no reason'}`,
      )
    }
    this.#isLosing = isLost
  }
}
