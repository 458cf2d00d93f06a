import type { ModelVersion } from '../lifecycle/model-version.ts'
import { backgroundClock } from '../revival/background-clock.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { EventLoopDelay } from './event-loop-delay.ts'
import type { GpuMetrics } from './gpu-metrics.ts'
import { HostPoller } from './host-poller.ts'
import type { MetricCollectors } from './metric-collectors.ts'
import type { MetricSink } from './metric-sink.ts'
import type { ResolvedMetricsOptions } from './metrics-options.ts'
import { MetricsPage } from './metrics-page.ts'
import { modelSnapshot } from './model-snapshot.ts'
import { PromClientMetrics, type PromClientRegistry } from './prom-client.ts'
import { ServerFamilies } from './server-families.ts'
import type { EventLoopDelaySnapshot, ModelSnapshot } from './server-snapshot.ts'
import type { MetricsFormat } from './text-sink.ts'

export interface ServerMetricsParts {
  readonly metrics: ResolvedMetricsOptions
  readonly gpuMetrics: GpuMetrics | undefined
  readonly clock: Clock
  readonly logger: Logger
  readonly collectors: MetricCollectors
  /** Every version that serves. */
  models(): Iterable<ModelVersion>
}

/** All that a Server measures of itself and of its machine, from `start` to `stop`. */
export class ServerMetrics {
  readonly #page: MetricsPage
  readonly #host: HostPoller
  /** Undefined where nobody wants to know, or the time is not the real one. */
  readonly #eventLoop: EventLoopDelay | undefined
  readonly #models: () => Iterable<ModelVersion>

  constructor({ metrics, gpuMetrics, clock, logger, collectors, models }: ServerMetricsParts) {
    const { cpu, interval, pinnedMemoryPool } = metrics
    const isReal = clock === systemClock
    this.#models = models
    this.#host = new HostPoller({ cpu, gpu: gpuMetrics, interval, clock: isReal ? backgroundClock : clock, logger })
    this.#eventLoop = metrics.ownFamilies && isReal ? new EventLoopDelay(clock, interval) : undefined
    const pinnedMemory =
      pinnedMemoryPool === undefined ? undefined : { total: pinnedMemoryPool, used: () => this.#pinned() }
    const server = new ServerFamilies({ host: this.#host, eventLoop: this.#eventLoop, pinnedMemory })
    this.#page = new MetricsPage(metrics, { server, collectors, logger })
  }

  /** Resolves when the GPUs of the machine are known, if they are wanted. It never rejects. */
  async start(): Promise<void> {
    this.#eventLoop?.start()
    await this.#host.start()
  }

  stop(): void {
    this.#eventLoop?.stop()
    this.#host.stop()
  }

  gpuUuid(id: number): string | undefined {
    return this.#host.gpuUuid(id)
  }

  /** The page in parts, each of which takes a millisecond or so to make. */
  text(format: MetricsFormat): Iterable<string> {
    return this.#page.text(this.#models(), format)
  }

  write(sink: MetricSink): void {
    for (const _ of this.#page.write(this.#models(), sink));
  }

  /** @throws TritonError ALREADY_EXISTS. */
  registerIn(registry: PromClientRegistry): PromClientMetrics {
    return new PromClientMetrics(registry, this.#page.heads, (sink) => this.write(sink))
  }

  /** One after the other, each as it stands when it is asked for. */
  *models(): Generator<ModelSnapshot, void> {
    for (const model of this.#models()) yield modelSnapshot(model)
  }

  get eventLoopDelay(): EventLoopDelaySnapshot | undefined {
    return this.#eventLoop?.last
  }

  /** Bytes, as backends tell. */
  #pinned(): number {
    let bytes = 0
    for (const model of this.#models()) {
      for (const { type, byteSize } of model.memoryUsage()) if (type === 'CPU_PINNED') bytes += byteSize
    }
    return bytes
  }
}
