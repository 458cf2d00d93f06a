import type { HostPolicy, InstanceContext } from '../backend/backend.ts'
import type { InstanceGroupConfig, ModelConfig } from '../config/model-config.ts'

/** Settings of host policies by the name of the policy. */
export type HostPolicies = ReadonlyMap<string, Readonly<Record<string, string>>>

/**
 * The execution slots that a normalised `instance_group` asks for: `count` of each group, on a GPU group for each GPU,
 * named and in the order as in Triton.
 */
export function instanceSlots(config: ModelConfig, hostPolicies: HostPolicies, signal: AbortSignal): InstanceContext[] {
  return config.instanceGroup.flatMap((group) => {
    const kind = group.kind === 'KIND_AUTO' ? 'KIND_CPU' : group.kind
    const devices = kind === 'KIND_GPU' ? group.gpus : [0]
    return Array.from({ length: group.count }, (_, n) =>
      devices.map((deviceId) => {
        const hostPolicy = hostPolicyOf(group, kind, deviceId, hostPolicies)
        return { name: `${group.name}_${n}`, kind, deviceId, group, hostPolicy, config, signal }
      }),
    ).flat()
  })
}

function hostPolicyOf(
  group: InstanceGroupConfig,
  kind: InstanceContext['kind'],
  deviceId: number,
  policies: HostPolicies,
): HostPolicy {
  const names = { KIND_CPU: 'cpu', KIND_GPU: `gpu_${deviceId}`, KIND_MODEL: 'model' }
  const name = group.hostPolicy || names[kind]
  return { name, settings: policies.get(name) ?? {} }
}
