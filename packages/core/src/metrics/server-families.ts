import type { EventLoopDelay } from './event-loop-delay.ts'
import type { GpuState, HostPoller } from './host-poller.ts'
import { labelSet } from './label-text.ts'
import type { FamilyHead } from './metric-family.ts'
import type { MetricSink } from './metric-sink.ts'

const none = labelSet({})

interface ValueFamily<Of> extends FamilyHead {
  readonly read: (of: Of) => number | undefined
}

const gauge = <Of>(name: string, help: string, read: (of: Of) => number | undefined): ValueFamily<Of> => ({
  name,
  help,
  type: 'gauge',
  read,
})

/** Texts of these and of the next are Triton's. */
const gpuFamilies: readonly ValueFamily<GpuState>[] = [
  gauge('nv_gpu_utilization', 'GPU utilization rate [0.0 - 1.0)', ({ reading }) => reading?.utilization),
  gauge('nv_gpu_memory_total_bytes', 'GPU total memory, in bytes', ({ reading }) => reading?.memoryTotal),
  gauge('nv_gpu_memory_used_bytes', 'GPU used memory, in bytes', ({ reading }) => reading?.memoryUsed),
  gauge('nv_gpu_power_usage', 'GPU power usage in watts', ({ reading }) => reading?.powerUsage),
  gauge('nv_gpu_power_limit', 'GPU power management limit in watts', ({ reading }) => reading?.powerLimit),
  {
    ...gauge<GpuState>(
      'nv_energy_consumption',
      'GPU energy consumption in joules since the Triton Server started',
      ({ reading, energy }) => (reading?.energy === undefined ? undefined : energy),
    ),
    type: 'counter',
  },
]

const hostFamilies: readonly ValueFamily<ServerSources>[] = [
  gauge(
    'nv_pinned_memory_pool_total_bytes',
    'Pinned memory pool total memory size, in bytes',
    ({ pinnedMemory }) => pinnedMemory?.total,
  ),
  gauge('nv_pinned_memory_pool_used_bytes', 'Pinned memory pool used memory size, in bytes', ({ pinnedMemory }) =>
    pinnedMemory?.used(),
  ),
  gauge('nv_cpu_utilization', 'CPU utilization rate [0.0 - 1.0]', ({ host }) => host.cpu?.utilization),
  gauge('nv_cpu_memory_total_bytes', 'CPU total memory (RAM), in bytes', ({ host }) => host.cpu?.memoryTotal),
  gauge('nv_cpu_memory_used_bytes', 'CPU used memory (RAM), in bytes', ({ host }) => host.cpu?.memoryUsed),
]

const delayFamily: FamilyHead = {
  name: 'triton_ts_event_loop_delay_seconds',
  help: 'How late the event loop is, of the last metrics interval',
  type: 'summary',
}

/** Where the families of the machine and the process come from. */
export interface ServerSources {
  readonly host: HostPoller
  /** Bytes. */
  readonly pinnedMemory: { readonly total: number; used(): number } | undefined
  readonly eventLoop: EventLoopDelay | undefined
}

/** What a Server shows besides what its models do: GPUs, processors, memory, the event loop. */
export class ServerFamilies {
  static readonly heads: readonly FamilyHead[] = [...gpuFamilies, ...hostFamilies, delayFamily]
  readonly #sources: ServerSources

  constructor(sources: ServerSources) {
    this.#sources = sources
  }

  write(sink: MetricSink): void {
    const { host, eventLoop } = this.#sources
    for (const family of gpuFamilies) {
      sink.family(family)
      for (const gpu of host.gpus) {
        const value = family.read(gpu)
        if (value !== undefined) sink.value(labelSet({ gpu_uuid: gpu.uuid }), value)
      }
    }
    for (const family of hostFamilies) {
      sink.family(family)
      const value = family.read(this.#sources)
      if (value !== undefined) sink.value(none, value)
    }
    const delay = eventLoop?.last
    if (eventLoop === undefined || delay === undefined) return
    sink.family(delayFamily)
    const quantiles = [
      [0.5, delay.p50],
      [0.9, delay.p90],
      [0.99, delay.p99],
      [1, delay.max],
    ] as const
    sink.summary(none, quantiles, eventLoop.sum, eventLoop.count)
  }
}
