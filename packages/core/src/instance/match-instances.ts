import type { InstanceContext } from '../backend/backend.ts'
import type { ModelInstance } from './model-instance.ts'

/** Which of the wanted instances are there. */
export interface InstanceMatch {
  readonly kept: readonly ModelInstance[]
  /** Slots for which no instance is there. */
  readonly missing: readonly InstanceContext[]
  readonly surplus: readonly ModelInstance[]
}

/**
 * Finds for each slot an instance that does the same. As in Triton, instances are the same when their groups differ in
 * name and count at most and they run on the same device; so an instance may keep a name that is no longer configured.
 */
export function matchInstances(instances: readonly ModelInstance[], slots: readonly InstanceContext[]): InstanceMatch {
  const unused = new Map<string, ModelInstance[]>()
  for (const instance of instances) {
    const key = signature(instance.slot)
    const alike = unused.get(key)
    if (alike === undefined) unused.set(key, [instance])
    else alike.push(instance)
  }
  const kept: ModelInstance[] = []
  const missing: InstanceContext[] = []
  for (const slot of slots) {
    const instance = unused.get(signature(slot))?.shift()
    if (instance === undefined) missing.push(slot)
    else kept.push(instance)
  }
  return { kept, missing, surplus: [...unused.values()].flat() }
}

const signature = ({ group, deviceId }: InstanceContext): string =>
  JSON.stringify([deviceId, { ...group, name: '', count: 1 }])
