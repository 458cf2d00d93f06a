import type { InstanceGroupConfig, ModelConfig } from '../model-config.ts'
import type { ProblemList } from './problem-list.ts'

export interface GpuFacts {
  readonly gpus: readonly number[]
  readonly minComputeCapability?: number | undefined
}

/** Far more than any machine runs; a number like 2^31 would only use up its memory. */
const mostInstances = 65_536

export function checkInstanceGroup(
  list: ProblemList,
  config: ModelConfig,
  group: InstanceGroupConfig,
  index: number,
  facts: GpuFacts,
): void {
  const path = `instance_group[${index}]`
  const subject = `instance group ${group.name} of model ${config.name}`
  if (group.kind === 'KIND_GPU') checkGpus(list, subject, group, path, facts)
  else if (group.kind === 'KIND_CPU' || group.kind === 'KIND_MODEL') {
    const message = `${subject} has kind ${group.kind} but specifies one or more GPUs`
    list.require(group.gpus.length === 0, `${path}.gpus`, message)
  } else list.add(`${path}.kind`, `${subject} has unexpected kind ${group.kind}`)
  const tooMany = `${subject} has count ${group.count}, more than the ${mostInstances} that are possible`
  list.require(group.count <= mostInstances, `${path}.count`, tooMany)
  if (group.profile.length > 0) checkProfiles(list, subject, config.platform, group.profile, path)
}

function checkGpus(
  list: ProblemList,
  subject: string,
  group: InstanceGroupConfig,
  path: string,
  facts: GpuFacts,
): void {
  const { gpus, minComputeCapability = 6 } = facts
  const lack = gpus.length === 0 ? 'no GPUs are available' : 'specifies no GPUs'
  list.require(group.gpus.length > 0, `${path}.gpus`, `${subject} has kind KIND_GPU but ${lack}`)
  for (const id of group.gpus) {
    const message =
      `${subject} specifies invalid or unsupported gpu id ${id}. GPUs with at least the minimum required CUDA ` +
      `compute compatibility of ${minComputeCapability.toFixed(6)} are: ${gpus.join(', ')}`
    list.require(gpus.includes(id), `${path}.gpus`, message)
  }
}

function checkProfiles(
  list: ProblemList,
  subject: string,
  platform: string,
  profiles: readonly string[],
  groupPath: string,
): void {
  const path = `${groupPath}.profile`
  if (platform !== 'tensorrt_plan') {
    const reason = 'specifies profile field which is only supported for TensorRT models'
    list.add(path, `${subject} and platform ${platform}${reason}`)
    return
  }
  for (const profile of profiles) {
    const number = /^\s*([+-]?\d+)/.exec(profile)?.[1]
    if (profile === '') list.add(path, 'profile name must not be empty')
    else if (number === undefined) list.add(path, `unable to parse '${profile}': stoi`)
    else if (Number(number) < 0 || Number(number) > 0x7fffffff) {
      const reason = 'The field should contain the string representation of a non-negative integer.'
      list.add(path, `${subject} and platform ${platform} specifies invalid profile ${profile}. ${reason}`)
    }
  }
}
