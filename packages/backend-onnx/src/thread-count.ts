import { availableParallelism } from 'node:os'
import type { ModelConfig } from '@triton-ts/core'
import { readCpuQuota } from './cpu-quota.ts'

/** CPUs this process may use: the cgroup's quota where there is one, else what the system offers. */
export async function usableCpus(): Promise<number> {
  const offered = availableParallelism()
  return Math.min(offered, (await readCpuQuota()) ?? offered)
}

/** Threads for the operators of each of a model's instances, so that all of them together fit on `cpus`. */
export function threadsPerInstance(cpus: number, groups: ModelConfig['instanceGroup']): number {
  const instances = groups.reduce((sum, { count, gpus }) => sum + Math.max(1, count) * Math.max(1, gpus.length), 0)
  return Math.max(1, Math.floor(cpus / Math.max(1, instances)))
}
