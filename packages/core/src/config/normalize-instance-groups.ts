import { createMessage, deepFreeze } from './message-value.ts'
import type { InstanceGroupConfig, InstanceGroupKind, ModelConfig } from './model-config.ts'
import { instanceGroup } from './schema/deployment.ts'

/** The backends for which Triton runs two instances on a CPU where the configuration does not say how many. */
const backendsWithTwoCpuInstances = ['onnxruntime', 'tensorflow']

/**
 * Gives the model at least one instance group, and each group its name, kind, count and GPUs. Ensembles have none.
 *
 * @param gpus ids of the usable GPUs, in order; empty on a machine without
 */
export function normalizeInstanceGroups(
  config: ModelConfig,
  { gpus }: { readonly gpus: readonly number[] },
): ModelConfig {
  if (config.ensembleScheduling) return config
  const groups = config.instanceGroup.length > 0 ? config.instanceGroup : [firstGroup(config.name)]
  const normalized = groups.map((group, index) => {
    const kind = resolveKind(group, gpus)
    return {
      ...group,
      name: group.name || `${config.name}_${index}`,
      kind,
      count: group.count >= 1 ? group.count : defaultCount(kind, config.backend),
      gpus: kind === 'KIND_GPU' && group.gpus.length === 0 ? gpus : group.gpus,
    }
  })
  return deepFreeze({ ...config, instanceGroup: normalized })
}

/** The group of a model that has none is named like the model. */
const firstGroup = (name: string): InstanceGroupConfig => ({
  ...(createMessage(instanceGroup) as unknown as InstanceGroupConfig),
  name,
})

function resolveKind(group: InstanceGroupConfig, gpus: readonly number[]): InstanceGroupKind {
  if (group.kind !== 'KIND_AUTO') return group.kind
  return gpus.length > 0 && group.gpus.every((gpu) => gpus.includes(gpu)) ? 'KIND_GPU' : 'KIND_CPU'
}

const defaultCount = (kind: InstanceGroupKind, backend: string): number =>
  kind === 'KIND_CPU' && backendsWithTwoCpuInstances.includes(backend) ? 2 : 1
