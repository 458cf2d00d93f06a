import type { DynamicBatching, ModelConfig } from '../../config/model-config.ts'
import type { InstancePool } from '../../instance/instance-pool.ts'
import type { ModelInstance } from '../../instance/model-instance.ts'
import type { InferenceStats } from '../../metrics/inference-stats.ts'
import type { InferenceRequest } from '../../request/inference-request.ts'
import type { Clock } from '../../util/clock.ts'
import type { BatchKey } from '../batch-key.ts'
import { batchRules } from '../batch-rules.ts'
import { DynamicBatchScheduler } from '../dynamic-batch-scheduler.ts'
import { OrderedScheduler } from '../ordered-scheduler.ts'
import type { Scheduler } from '../scheduler.ts'
import type { SequenceBatcher } from './sequence-batcher.ts'
import type { SequenceInputs } from './sequence-inputs.ts'
import type { SequenceSlot } from './sequence-slot.ts'

export interface OldestBatcherParts {
  readonly config: ModelConfig
  readonly slotCount: number
  readonly instance: ModelInstance
  /** Of the one instance. */
  readonly pool: InstancePool
  readonly batchKey: BatchKey
  readonly inputs: SequenceInputs
  readonly stats: InferenceStats
  readonly clock: Clock
}

/**
 * Triton's oldest strategy: a dynamic batcher that has at most one request of each sequence. So the oldest requests of
 * all sequences run together, at any place of the batch, and a sequence never runs twice at a time.
 */
export class OldestBatcher implements SequenceBatcher {
  readonly slotCount: number
  readonly #instance: ModelInstance
  readonly #inputs: SequenceInputs
  readonly #stats: InferenceStats
  readonly #clock: Clock
  readonly #batcher: DynamicBatchScheduler
  /** The batcher, or what keeps its answers in order. */
  readonly #entrance: Scheduler

  constructor({ config, slotCount, instance, pool, batchKey, inputs, stats, clock }: OldestBatcherParts) {
    const batching = asDynamicBatching(config)
    const rules = batchRules({ ...config, dynamicBatching: batching })
    this.slotCount = slotCount
    this.#instance = instance
    this.#inputs = inputs
    this.#stats = stats
    this.#clock = clock
    this.#batcher = new DynamicBatchScheduler({ batching, rules, batchKey, pool, stats, clock })
    this.#entrance = batching.preserveOrdering ? new OrderedScheduler(this.#batcher) : this.#batcher
  }

  /** Hands the next request of the sequence on, when the one before is released. */
  slotChanged({ sequence }: SequenceSlot): void {
    const step = sequence?.waiting.first
    if (sequence === undefined || step === undefined || sequence.running > 0) return
    sequence.waiting.remove(step)
    sequence.running++
    step.isRunning = true
    this.#stats.pending--
    this.#inputs.join(step)
    // Its delay counts from here, since it could not be batched before.
    step.request.queuedAt = this.#clock.now()
    // One that runs again has its place among the answers already.
    const next = step.isRepeated ? this.#batcher : this.#entrance
    next.enqueue(step.request)
  }

  withdraw(request: InferenceRequest): boolean {
    return this.#batcher.withdraw(request)
  }

  rejectWaiting(reject: (request: InferenceRequest) => void): void {
    this.#batcher.rejectWaiting(reject)
  }

  remove(): Promise<void> {
    return this.#batcher.removeInstance(this.#instance)
  }
}

/** The fields of `oldest`; priorities and queue policies are those of a model without any. */
function asDynamicBatching({ sequenceBatching }: ModelConfig): DynamicBatching {
  const {
    preferredBatchSize = [],
    maxQueueDelayMicroseconds = 0,
    preserveOrdering = false,
  } = sequenceBatching?.oldest ?? {}
  return {
    preferredBatchSize,
    maxQueueDelayMicroseconds,
    preserveOrdering,
    priorityLevels: 0,
    defaultPriorityLevel: 0,
    priorityQueuePolicy: {},
  }
}
