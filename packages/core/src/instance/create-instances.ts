import type { BackendInstance, BackendModel, InstanceContext } from '../backend/backend.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { Clock } from '../util/clock.ts'
import { ModelInstance } from './model-instance.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** What the instances of a model version are made from. */
export interface InstanceParts {
  readonly backendModel: BackendModel
  readonly stats: InferenceStats
  /** The UUID of a GPU under which instances on it are counted. Default: as those on the CPU. */
  readonly gpuUuid?: ((id: number) => string | undefined) | undefined
  readonly clock: Clock
  /** Undefined: instances run freely. */
  readonly rateLimiter: RateLimiter | undefined
  /** What an instance runs before it takes requests; a passive one never runs. */
  warmUp(instance: ModelInstance): Promise<void>
}

/**
 * Makes the instances of all slots, at the same time where the backend allows it. When one fails, all are given back.
 * @throws TritonError the last failure, as Triton reports it.
 */
export async function createInstances(
  slots: readonly InstanceContext[],
  parts: InstanceParts,
): Promise<readonly ModelInstance[]> {
  const results = await (parts.backendModel.parallelInstanceLoading === false
    ? oneByOne(slots, parts)
    : Promise.allSettled(slots.map((slot) => createInstance(slot, parts))))
  const instances = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value)
  const failure = results.findLast((result) => result.status === 'rejected')
  if (failure === undefined) return instances
  await Promise.allSettled(instances.map((instance) => instance.dispose()))
  throw failure.reason
}

/** As Triton does, it goes on after a failure. */
async function oneByOne(
  slots: readonly InstanceContext[],
  parts: InstanceParts,
): Promise<PromiseSettledResult<ModelInstance>[]> {
  const results: PromiseSettledResult<ModelInstance>[] = []
  for (const slot of slots) results.push(...(await Promise.allSettled([createInstance(slot, parts)])))
  return results
}

async function createInstance(slot: InstanceContext, parts: InstanceParts): Promise<ModelInstance> {
  const { backendModel, stats, clock, rateLimiter } = parts
  const { group, kind, deviceId, signal } = slot
  const contender = group.passive ? undefined : rateLimiter?.register(group.rateLimiter, deviceId)
  let backend: BackendInstance
  try {
    backend = await backendModel.createInstance(slot)
  } catch (error) {
    contender?.dispose()
    throw error
  }
  const uuid = kind === 'KIND_GPU' ? parts.gpuUuid?.(deviceId) : undefined
  const counted = uuid === undefined ? stats : stats.onDevice(uuid)
  const instance = new ModelInstance(slot, backend, counted, clock, contender)
  if (instance.isPassive) return instance
  try {
    await instance.inTurn(() => parts.warmUp(instance), signal)
    return instance
  } catch (error) {
    // A failure of the clean-up would hide why it is needed.
    await instance.dispose().catch(() => {})
    throw error
  }
}
