import type { SequenceBatching } from '../../config/model-config.ts'
import { InstancePool } from '../../instance/instance-pool.ts'
import { batchKeyOf } from '../batch-key.ts'
import type { SchedulerParts } from '../scheduler-parts.ts'
import { DirectBatcher } from './direct-batcher.ts'
import { OldestBatcher } from './oldest-batcher.ts'
import { SequenceControls } from './sequence-controls.ts'
import { SequenceInputs } from './sequence-inputs.ts'
import type { CreateBatcher } from './sequence-places.ts'
import { SequenceScheduler } from './sequence-scheduler.ts'
import { SequenceStateFactory } from './sequence-state.ts'

/** The scheduler that `sequence_batching` asks for: direct, unless `oldest` is chosen. */
export function createSequenceScheduler(parts: SchedulerParts, batching: SequenceBatching): SequenceScheduler {
  const { config, initialStates = new Map(), instances, stats, clock, logger } = parts
  const batchKey = batchKeyOf(config)
  const states = new SequenceStateFactory(config, initialStates)
  const inputs = new SequenceInputs(new SequenceControls(config), states)
  const { direct, oldest, iterativeSequence: keepsSlot } = batching
  const maxBatchSize = Math.max(1, config.maxBatchSize)
  const createBatcher: CreateBatcher = (instance, onTaken) => {
    const common = { instance, pool: new InstancePool([instance]), batchKey, inputs, stats, clock }
    if (oldest !== undefined) {
      const { maxCandidateSequences } = oldest
      const slotCount = maxCandidateSequences > 0 ? maxCandidateSequences : maxBatchSize
      return new OldestBatcher({ ...common, config, slotCount })
    }
    const { maxQueueDelayMicroseconds = 0, minimumSlotUtilization = 0 } = direct ?? {}
    const maxQueueDelay = maxQueueDelayMicroseconds / 1000
    return new DirectBatcher({
      ...common,
      slotCount: maxBatchSize,
      maxQueueDelay,
      minimumSlotUtilization,
      keepsSlot,
      onTaken,
    })
  }
  return new SequenceScheduler({ modelName: config.name, batching, instances, createBatcher, stats, clock, logger })
}
