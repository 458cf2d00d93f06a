import type { MemoryUsage } from './model-statistics.ts'

const types: readonly MemoryUsage['type'][] = ['CPU', 'CPU_PINNED', 'GPU']

/** Adds up what is at the same place, in Triton's order: CPU before GPU, lower ids first. */
export function addUpMemory(usages: readonly MemoryUsage[]): MemoryUsage[] {
  return types.flatMap((type) => {
    const byId = new Map<number, number>()
    for (const usage of usages) {
      if (usage.type === type) byId.set(usage.id, (byId.get(usage.id) ?? 0) + usage.byteSize)
    }
    return [...byId].sort(([a], [b]) => a - b).map(([id, byteSize]) => ({ type, id, byteSize }))
  })
}
