import type { ModelConfig, SequenceBatching } from '../model-config.ts'
import type { ProblemList } from './problem-list.ts'
import { checkSequenceControls } from './sequence-controls.ts'

export function checkSequenceBatching(list: ProblemList, config: ModelConfig, batching: SequenceBatching): void {
  const { name } = config
  if (config.responseCache?.enable) {
    const message =
      `Response Cache does not currently support model ${name} with sequence batching scheduler. ` +
      'Please disable the response cache.'
    list.add('response_cache', message)
  }
  checkSequenceControls(list, name, batching.controlInput)
  for (const size of batching.oldest?.preferredBatchSize ?? []) {
    const path = 'sequence_batching.oldest.preferred_batch_size'
    const positive = `sequence batching preferred batch size must be positive for ${name}`
    if (!list.require(size > 0, path, positive)) continue
    const message = `sequence batching preferred batch size must be <= max batch size for ${name}`
    list.require(size <= config.maxBatchSize, path, message)
  }
  const utilization = batching.direct?.minimumSlotUtilization ?? 0
  const message = `sequence batching minimum slot utilization must be in range (0.0, 1.0] for ${name}`
  const inRange = utilization >= 0 && utilization <= 1
  list.require(inRange, 'sequence_batching.direct.minimum_slot_utilization', message)
}
