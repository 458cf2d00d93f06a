import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** CPUs that a cgroup v2 `cpu.max` file (`<quota> <period>`) grants; undefined without a limit. */
export function parseCpuMax(text: string): number | undefined {
  const [quota, period = '100000'] = text.trim().split(/\s+/)
  return quota === 'max' ? undefined : cpus(Number(quota), Number(period))
}

/** CPUs that the cgroup v1 files `cpu.cfs_quota_us` and `cpu.cfs_period_us` grant; undefined without a limit. */
export function parseCfsQuota(quota: string, period: string): number | undefined {
  return cpus(Number(quota), Number(period))
}

/** Where `/proc/self/cgroup` places this process: its v2 path, and the v1 hierarchy that has the CPU controller. */
export function parseCgroups(text: string): { v2?: string; v1?: { controllers: string; path: string } } {
  const groups: ReturnType<typeof parseCgroups> = {}
  for (const line of text.split('\n')) {
    const [, id, controllers, path] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? []
    if (id === undefined || controllers === undefined || path === undefined) continue
    if (id === '0' && controllers === '') groups.v2 = path
    else if (controllers.split(',').includes('cpu')) groups.v1 = { controllers, path }
  }
  return groups
}

/**
 * CPUs that the cgroups of this process allow, the smallest limit on the way up; undefined without any.
 * @param root `/`, or a directory that stands for it.
 */
export async function readCpuQuota(root = '/'): Promise<number | undefined> {
  const read = (...path: string[]) => readFile(join(root, ...path), 'utf8').catch(() => undefined)
  const { v2 = '/', v1 } = parseCgroups((await read('proc/self/cgroup')) ?? '')
  const limits: (number | undefined)[] = []
  for (const path of ancestors(v2)) {
    const max = await read('sys/fs/cgroup', path, 'cpu.max')
    if (max !== undefined) limits.push(parseCpuMax(max))
  }
  for (const path of ancestors(v1?.path ?? '/')) {
    const directory = ['sys/fs/cgroup', v1?.controllers ?? 'cpu', path]
    const quota = await read(...directory, 'cpu.cfs_quota_us')
    const period = await read(...directory, 'cpu.cfs_period_us')
    if (quota !== undefined && period !== undefined) limits.push(parseCfsQuota(quota, period))
  }
  const known = limits.filter((limit) => limit !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

function cpus(quota: number, period: number): number | undefined {
  return quota > 0 && period > 0 ? quota / period : undefined
}

function ancestors(path: string): string[] {
  return path === '/' ? ['/'] : [path, ...ancestors(dirname(path))]
}
