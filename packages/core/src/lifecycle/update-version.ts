import { createInstances } from '../instance/create-instances.ts'
import { instanceSlots } from '../instance/instance-slots.ts'
import { matchInstances } from '../instance/match-instances.ts'
import { prepareWarmUp } from '../instance/warm-up.ts'
import type { ModelDefinition } from '../repository/model-definition.ts'
import { groupInstances } from './check-config.ts'
import type { LoadContext } from './load-version.ts'
import type { ModelVersion } from './model-version.ts'

/** Other instances for a version that serves, made and not yet used. One of the two methods is called, once. */
export interface VersionUpdate {
  readonly version: number
  /** False when the version has the instances that it needs already. */
  readonly changesInstances: boolean
  /** From now on the version uses them; those that it no longer needs go when they are through. */
  commit(): void
  /** Gives them back. */
  discard(): Promise<void>
}

/**
 * Prepares that a version goes on with the `instance_group` and `version_policy` of another definition. It serves
 * meanwhile, and nothing has changed when this fails.
 * @throws TritonError
 */
export async function updateVersion(
  model: ModelVersion,
  { directory, config: { instanceGroup, versionPolicy }, locate }: ModelDefinition,
  context: LoadContext,
  signal: AbortSignal,
): Promise<VersionUpdate> {
  const { gpus, hostPolicies } = context
  const changed = { ...model.config, instanceGroup, ...(versionPolicy && { versionPolicy }) }
  const { backendModel, stats, phase } = model
  const config = groupInstances(changed, { gpus, preferred: backendModel.preferredInstanceGroups }, locate)
  const { kept, missing, surplus } = matchInstances(model.instances, instanceSlots(config, hostPolicies, signal))
  const warmUp = prepareWarmUp({ ...context, config, directory, stats, signal })
  const added = await phase.during(() => createInstances(missing, { ...context, backendModel, stats, warmUp }))
  return {
    version: model.version,
    changesInstances: missing.length + surplus.length > 0,
    commit: () => model.changeInstances(config, { kept, added, surplus }),
    discard: async () => {
      await Promise.allSettled(added.map((instance) => instance.dispose()))
    },
  }
}
