import type { PreferredInstanceGroup } from '../backend/backend.ts'
import { createMessage, deepFreeze } from './message-value.ts'
import type { InstanceGroupConfig, InstanceGroupKind, ModelConfig } from './model-config.ts'
import { instanceGroup } from './schema/deployment.ts'

/** The backends for which Triton runs two instances on a CPU where the configuration does not say how many. */
const backendsWithTwoCpuInstances = ['onnxruntime', 'tensorflow']

/** What decides where a configuration does not. */
export interface InstanceGroupDefaults {
  /** Ids of the usable GPUs, in order; empty on a machine without. */
  readonly gpus: readonly number[]
  /** What the backend would like best, first choice first. Default: it does not care. */
  readonly preferred?: readonly PreferredInstanceGroup[] | undefined
}

/** Gives the model at least one instance group, and each group its name, kind, count and GPUs. Ensembles have none. */
export function normalizeInstanceGroups(config: ModelConfig, defaults: InstanceGroupDefaults): ModelConfig {
  if (config.ensembleScheduling) return config
  const groups = config.instanceGroup.length > 0 ? config.instanceGroup : [firstGroup(config.name, defaults)]
  const normalized = groups.map((group, index) => {
    const named = { ...group, name: group.name || `${config.name}_${index}`, kind: resolveKind(group, defaults.gpus) }
    const wished = fillFromPreferred(named, defaults)
    return {
      ...wished,
      count: wished.count >= 1 ? wished.count : defaultCount(wished.kind, config.backend),
      gpus: wished.kind === 'KIND_GPU' && wished.gpus.length === 0 ? defaults.gpus : wished.gpus,
    }
  })
  return deepFreeze({ ...config, instanceGroup: normalized })
}

/** The group of a model that has none is named like the model, and is the first that its backend likes and can have. */
function firstGroup(name: string, { gpus, preferred = [] }: InstanceGroupDefaults): InstanceGroupConfig {
  const group = { ...(createMessage(instanceGroup) as unknown as InstanceGroupConfig), name }
  const choice = preferred.find(({ kind }) => kind !== 'KIND_GPU' || gpus.length > 0)
  if (choice === undefined) return group
  const { kind, count } = choice
  const usable = kind === 'KIND_GPU' ? choice.gpus.filter((gpu) => gpus.includes(gpu)) : []
  return { ...group, kind, count, gpus: kind === 'KIND_AUTO' ? choice.gpus : usable }
}

/** Takes GPUs and count from what the backend prefers of the group's kind; a preference without a usable GPU has no say. */
function fillFromPreferred(
  group: InstanceGroupConfig,
  { gpus: usable, preferred = [] }: InstanceGroupDefaults,
): InstanceGroupConfig {
  let { count, gpus } = group
  for (const preference of preferred) {
    if (preference.kind !== group.kind) continue
    if (group.kind === 'KIND_GPU' && gpus.length === 0 && preference.gpus.length > 0) {
      gpus = preference.gpus.filter((gpu) => usable.includes(gpu))
      if (gpus.length === 0) continue
    }
    if (count < 1) count = preference.count
  }
  return { ...group, count, gpus }
}

function resolveKind(group: InstanceGroupConfig, gpus: readonly number[]): InstanceGroupKind {
  if (group.kind !== 'KIND_AUTO') return group.kind
  return gpus.length > 0 && group.gpus.every((gpu) => gpus.includes(gpu)) ? 'KIND_GPU' : 'KIND_CPU'
}

const defaultCount = (kind: InstanceGroupKind, backend: string): number =>
  kind === 'KIND_CPU' && backendsWithTwoCpuInstances.includes(backend) ? 2 : 1
