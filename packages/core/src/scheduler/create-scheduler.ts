import type { BackendModel } from '../backend/backend.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { InstancePool } from '../instance/instance-pool.ts'
import type { ModelInstance } from '../instance/model-instance.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { batchKeyOf } from './batch-key.ts'
import { batchRules, type IncludeRequest } from './batch-rules.ts'
import { DefaultScheduler } from './default-scheduler.ts'
import { DynamicBatchScheduler } from './dynamic-batch-scheduler.ts'
import { OrderedScheduler } from './ordered-scheduler.ts'
import type { Scheduler } from './scheduler.ts'

export interface SchedulerParts {
  readonly config: ModelConfig
  readonly backendModel: BackendModel
  /** Those that take requests. */
  readonly instances: readonly ModelInstance[]
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly logger: Logger
}

/** The scheduler that a configuration chooses. */
export function createScheduler({ config, backendModel, instances, stats, clock, logger }: SchedulerParts): Scheduler {
  const pool = new InstancePool(instances)
  const { dynamicBatching: batching } = config
  if (batching === undefined) return new DefaultScheduler(pool, stats)
  const rules = batchRules(config, guardedHook(backendModel, config.name, logger))
  const batcher = new DynamicBatchScheduler({ batching, rules, batchKey: batchKeyOf(config), pool, stats, clock })
  return batching.preserveOrdering ? new OrderedScheduler(batcher) : batcher
}

/** As in Triton, a hook that fails closes the batch and is only logged. */
function guardedHook(backendModel: BackendModel, model: string, logger: Logger): IncludeRequest | undefined {
  if (backendModel.includeRequest === undefined) return undefined
  return (batch, request) => {
    try {
      return backendModel.includeRequest?.(batch, request) ?? true
    } catch (error) {
      logger.error({ model, err: error }, `Custom batching include function failed for model ${model}`)
      return false
    }
  }
}
