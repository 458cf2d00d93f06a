import type { ModelConfig } from '@triton-ts/core'

/** Threads for the operators of each of a model's instances, so that all of them together fit on `cpus`. */
export function threadsPerInstance(cpus: number, groups: ModelConfig['instanceGroup']): number {
  const instances = groups.reduce((sum, { count, gpus }) => sum + Math.max(1, count) * Math.max(1, gpus.length), 0)
  return Math.max(1, Math.floor(cpus / Math.max(1, instances)))
}
