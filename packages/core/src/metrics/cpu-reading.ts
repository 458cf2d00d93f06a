/** Time that the processors spent, in ticks since the machine started. */
export interface CpuTimes {
  readonly busy: number
  readonly idle: number
}

/**
 * Of the first line of `/proc/stat`: user nice system idle iowait irq softirq steal, and guests that user has already.
 * @returns undefined for a text of another form.
 */
export function cpuTimes(stat: string): CpuTimes | undefined {
  const [name, ...times] = stat.slice(0, stat.indexOf('\n')).trim().split(/\s+/)
  const [user, nice, system, idle, iowait, irq, softirq, steal] = times.map(Number)
  if (name !== 'cpu' || steal === undefined) return undefined
  const busy = [user, nice, system, irq, softirq, steal].reduce<number>((sum, time = 0) => sum + time, 0)
  const free = (idle ?? 0) + (iowait ?? 0)
  return Number.isNaN(busy + free) ? undefined : { busy, idle: free }
}

/** The share of the time between two looks that the processors worked: 0 to 1. */
export function cpuUtilization(before: CpuTimes, after: CpuTimes): number {
  const busy = Math.max(0, after.busy - before.busy)
  const idle = Math.max(0, after.idle - before.idle)
  return busy + idle === 0 ? 0 : busy / (busy + idle)
}

/**
 * Bytes of memory from `/proc/meminfo`; as in Triton what is not available is used.
 * @returns undefined for a text of another form.
 */
export function memoryOf(meminfo: string): { readonly total: number; readonly used: number } | undefined {
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(meminfo)?.[1])
  const [total, available] = [kilobytes('MemTotal'), kilobytes('MemAvailable')]
  return total >= available ? { total: total * 1024, used: (total - available) * 1024 } : undefined
}
