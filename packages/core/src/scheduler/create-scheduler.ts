import type { BackendModel } from '../backend/backend.ts'
import { CachingScheduler } from '../cache/caching-scheduler.ts'
import { EnsembleScheduler } from '../ensemble/ensemble-scheduler.ts'
import { InstancePool } from '../instance/instance-pool.ts'
import type { Logger } from '../util/logger.ts'
import { batchKeyOf } from './batch-key.ts'
import { batchRules, type IncludeRequest } from './batch-rules.ts'
import { BatchWatch } from './batch-watch.ts'
import { DefaultScheduler } from './default-scheduler.ts'
import { DynamicBatchScheduler } from './dynamic-batch-scheduler.ts'
import { OrderedScheduler } from './ordered-scheduler.ts'
import type { Scheduler } from './scheduler.ts'
import type { SchedulerParts } from './scheduler-parts.ts'
import { createSequenceScheduler } from './sequence/create-sequence-scheduler.ts'

/** The scheduler that a configuration chooses. Order is kept outermost, so that it holds for hits of the cache too. */
export function createScheduler(parts: SchedulerParts): Scheduler {
  const { config, cache, stats, clock } = parts
  const scheduler = chooseScheduler(parts)
  const cached = cache === undefined ? scheduler : new CachingScheduler(scheduler, cache, stats, clock)
  return config.dynamicBatching?.preserveOrdering ? new OrderedScheduler(cached) : cached
}

function chooseScheduler(parts: SchedulerParts): Scheduler {
  const { config, backendModel, instances, ensemble, stats, clock, logger } = parts
  if (ensemble !== undefined) return new EnsembleScheduler({ ...ensemble, stats, clock, logger })
  if (config.sequenceBatching !== undefined) return createSequenceScheduler(parts, config.sequenceBatching)
  const pool = new InstancePool(instances)
  const { dynamicBatching: batching } = config
  if (batching === undefined) return new DefaultScheduler(pool, stats)
  const rules = batchRules(config, guardedHook(backendModel, config.name, logger))
  const watch = config.maxBatchSize > 1 ? new BatchWatch(config, logger) : undefined
  return new DynamicBatchScheduler({ batching, rules, batchKey: batchKeyOf(config), pool, stats, clock, watch })
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
