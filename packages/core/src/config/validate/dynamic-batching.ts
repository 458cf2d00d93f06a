import type { DynamicBatching, ModelConfig, QueuePolicy } from '../model-config.ts'
import type { ProblemList } from './problem-list.ts'

export function checkDynamicBatching(list: ProblemList, config: ModelConfig, batching: DynamicBatching): void {
  const preferred = 'dynamic_batching.preferred_batch_size'
  for (const size of batching.preferredBatchSize) {
    if (!list.require(size > 0, preferred, `dynamic batching preferred size must be positive for ${config.name}`)) {
      continue
    }
    const message = `dynamic batching preferred size must be <= max batch size for ${config.name}`
    list.require(size <= config.maxBatchSize, preferred, message)
  }
  if (batching.priorityLevels !== 0) checkPriorityLevels(list, config.name, batching)
  if (batching.preserveOrdering) checkPreserveOrdering(list, config.name, batching)
}

function checkPriorityLevels(list: ProblemList, model: string, batching: DynamicBatching): void {
  const { priorityLevels, defaultPriorityLevel, priorityQueuePolicy } = batching
  const range = `in range [1, ${priorityLevels}] for ${model}`
  const isLevel = (level: number) => level >= 1 && level <= priorityLevels
  const defaultPath = 'dynamic_batching.default_priority_level'
  list.require(isLevel(defaultPriorityLevel), defaultPath, `default priority level must be ${range}`)
  for (const level of Object.keys(priorityQueuePolicy)) {
    const message = `priority queue policy must have priority level ${range}`
    list.require(isLevel(Number(level)), `dynamic_batching.priority_queue_policy["${level}"]`, message)
  }
}

function checkPreserveOrdering(list: ProblemList, model: string, batching: DynamicBatching): void {
  const oneLevel = `Only one priority level is allowed when 'preserve_ordering' is true for ${model}`
  list.require(batching.priorityLevels <= 1, 'dynamic_batching.priority_levels', oneLevel)
  const check = (policy: QueuePolicy, path: string) => {
    const delays = policy.defaultTimeoutMicroseconds !== 0 && policy.timeoutAction === 'DELAY'
    const message = `Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for ${model}`
    list.require(!delays, path, message)
  }
  if (batching.defaultQueuePolicy) check(batching.defaultQueuePolicy, 'dynamic_batching.default_queue_policy')
  for (const [level, policy] of Object.entries(batching.priorityQueuePolicy)) {
    check(policy, `dynamic_batching.priority_queue_policy["${level}"]`)
  }
}
