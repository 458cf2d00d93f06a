import { availableParallelism } from 'node:os'
import { readCpuQuota } from './cpu-quota.ts'

/** CPUs this process may use: the cgroup's quota where there is one, else what the system offers. */
export async function usableCpus(): Promise<number> {
  const offered = availableParallelism()
  return Math.min(offered, (await readCpuQuota()) ?? offered)
}
