import type { SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { type Logger, silentLogger, systemClock, type TraceExporter, TritonError } from '@triton-ts/core'
import { settlesWithin } from '@triton-ts/core/backend'
import { CalmExporter } from './calm-exporter.ts'
import { OpenTelemetryExporter } from './open-telemetry.ts'

/** Where spans are sent, and how many at a time. */
export interface OtlpOptions {
  /** Default `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, or http://localhost:4318/v1/traces. */
  readonly url?: string | undefined
  /** Attributes of this process. `service.name` is `triton-inference-server` unless it is here. */
  readonly resource?: Readonly<Record<string, string>> | undefined
  /** Spans that wait at most; more are lost. Default `OTEL_BSP_MAX_QUEUE_SIZE`, or 2048. */
  readonly maxQueueSize?: number | undefined
  /** Milliseconds between two sendings. Default `OTEL_BSP_SCHEDULE_DELAY`, or 5000. */
  readonly scheduleDelay?: number | undefined
  /** Spans that are sent together at most. Default `OTEL_BSP_MAX_EXPORT_BATCH_SIZE`, or 512. */
  readonly maxExportBatchSize?: number | undefined
  /** Milliseconds that sending may take, and the last sending at the stop of the Server. Default 5000. */
  readonly timeout?: number | undefined
  /** What the settings show: `trace_mode` and these. Default none. */
  readonly settings?: Readonly<Record<string, string>> | undefined
  /** Hears when a collector does not take spans. Default: silent. */
  readonly logger?: Logger | undefined
}

/**
 * Traces of requests as spans for a collector, over OTLP/HTTP with protobuf, with a provider of its own. A collector that
 * is slow or down costs spans and nothing else. For processes without OpenTelemetry of their own, such as the command line.
 * @throws TritonError UNAVAILABLE where a package that it needs is not installed, which it names.
 */
export async function otlp(options: OtlpOptions = {}): Promise<TraceExporter> {
  const sdk = await needed('sdk-trace-base', () => import('@opentelemetry/sdk-trace-base'))
  const resources = await needed('resources', () => import('@opentelemetry/resources'))
  const proto = await needed('exporter-trace-otlp-proto', () => import('@opentelemetry/exporter-trace-otlp-proto'))
  const { url, timeout = 5000, logger = silentLogger } = options
  const exporter = new proto.OTLPTraceExporter({ ...(url !== undefined && { url }), timeoutMillis: timeout })
  const processor: SpanProcessor = new sdk.BatchSpanProcessor(new CalmExporter(exporter, logger), {
    ...(options.maxQueueSize !== undefined && { maxQueueSize: options.maxQueueSize }),
    ...(options.scheduleDelay !== undefined && { scheduledDelayMillis: options.scheduleDelay }),
    ...(options.maxExportBatchSize !== undefined && { maxExportBatchSize: options.maxExportBatchSize }),
    exportTimeoutMillis: timeout,
  })
  const resource = resources
    .defaultResource()
    .merge(resources.detectResources({ detectors: [resources.envDetector] }))
    .merge(resources.resourceFromAttributes({ 'service.name': 'triton-inference-server', ...options.resource }))
  // What is to be traced was decided before.
  const provider = new sdk.BasicTracerProvider({
    resource,
    spanProcessors: [processor],
    sampler: new sdk.AlwaysOnSampler(),
  })
  const tracer = provider.getTracer('triton-server')
  const dispose = async (): Promise<void> => {
    if (await settlesWithin(provider.shutdown(), timeout, systemClock)) return
    logger.warn({}, `spans are lost: the collector did not take the last ones within ${timeout} ms`)
  }
  return new OpenTelemetryExporter(() => tracer, options.settings ?? {}, dispose)
}

async function needed<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const text = `sending traces needs the package '@opentelemetry/${name}', which cannot be loaded: npm install @opentelemetry/${name}`
    throw new TritonError('UNAVAILABLE', text, { cause: error })
  }
}
