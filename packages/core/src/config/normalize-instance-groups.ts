import { createMessage, deepFreeze } from './message-value.ts'
import type { InstanceGroupConfig, InstanceGroupKind, ModelConfig } from './model-config.ts'
import { instanceGroup } from './schema/deployment.ts'

/** The backends for which Triton runs two instances on a CPU where the configuration does not say how many. */
const backendsWithTwoCpuInstances = ['onnxruntime', 'tensorflow']

/** Where a backend likes its instances to run, in order of preference. */
export type PreferredInstanceGroup = Pick<InstanceGroupConfig, 'kind' | 'count' | 'gpus'>

/**
 * Gives the model at least one instance group, and each group its name, kind, count and GPUs. Ensembles have none.
 *
 * @param options.gpus ids of the usable GPUs, in order; empty on a machine without
 */
export function normalizeInstanceGroups(
  config: ModelConfig,
  options: { readonly gpus: readonly number[]; readonly preferred?: readonly PreferredInstanceGroup[] | undefined },
): ModelConfig {
  if (config.ensembleScheduling) return config
  const { gpus, preferred = [] } = options
  const groups = config.instanceGroup.length > 0 ? config.instanceGroup : [firstGroup(config.name, gpus, preferred)]
  const normalized = groups.map((group, index) => {
    const kind = resolveKind(group, gpus)
    const wishes = preferred.filter((wish) => wish.kind === kind)
    return {
      ...group,
      name: group.name || `${config.name}_${index}`,
      kind,
      count: group.count >= 1 ? group.count : defaultCount(kind, config.backend, wishes),
      gpus: kind === 'KIND_GPU' && group.gpus.length === 0 ? defaultGpus(gpus, wishes) : group.gpus,
    }
  })
  return deepFreeze({ ...config, instanceGroup: normalized })
}

/** The group of a model that has none: named like the model and placed as its backend prefers. */
function firstGroup(
  name: string,
  gpus: readonly number[],
  preferred: readonly PreferredInstanceGroup[],
): InstanceGroupConfig {
  const group = { ...(createMessage(instanceGroup) as unknown as InstanceGroupConfig), name }
  const wish = preferred.find(({ kind }) => kind !== 'KIND_GPU' || gpus.length > 0)
  if (!wish) return group
  const { kind, count } = wish
  if (kind === 'KIND_GPU') return { ...group, kind, count, gpus: wish.gpus.filter((gpu) => gpus.includes(gpu)) }
  return { ...group, kind, count, gpus: kind === 'KIND_AUTO' ? wish.gpus : [] }
}

function resolveKind(group: InstanceGroupConfig, gpus: readonly number[]): InstanceGroupKind {
  if (group.kind !== 'KIND_AUTO') return group.kind
  return gpus.length > 0 && group.gpus.every((gpu) => gpus.includes(gpu)) ? 'KIND_GPU' : 'KIND_CPU'
}

function defaultCount(kind: InstanceGroupKind, backend: string, wishes: readonly PreferredInstanceGroup[]): number {
  const wished = wishes.find(({ count }) => count > 0)
  if (wished) return wished.count
  return kind === 'KIND_CPU' && backendsWithTwoCpuInstances.includes(backend) ? 2 : 1
}

function defaultGpus(gpus: readonly number[], wishes: readonly PreferredInstanceGroup[]): readonly number[] {
  for (const wish of wishes) {
    const usable = wish.gpus.filter((gpu) => gpus.includes(gpu))
    if (usable.length > 0) return usable
  }
  return gpus
}
