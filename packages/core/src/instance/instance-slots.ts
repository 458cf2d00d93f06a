import type { InstanceContext } from '../backend/backend.ts'
import type { ModelConfig } from '../config/model-config.ts'

/** The execution slots that a normalised `instance_group` asks for: `count` of each group, on a GPU group for each GPU. */
export function instanceSlots(config: ModelConfig, signal: AbortSignal): InstanceContext[] {
  return config.instanceGroup.flatMap((group) => {
    const kind = group.kind === 'KIND_AUTO' ? 'KIND_CPU' : group.kind
    const devices = kind === 'KIND_GPU' ? group.gpus : [0]
    return devices.flatMap((deviceId) =>
      Array.from({ length: group.count }, (_, n) => ({
        name: `${group.name}_${n}`,
        kind,
        deviceId,
        group,
        config,
        signal,
      })),
    )
  })
}
