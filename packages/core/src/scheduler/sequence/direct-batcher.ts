import type { BatchMember } from '../../instance/batch-member.ts'
import type { InstancePool } from '../../instance/instance-pool.ts'
import type { ModelInstance } from '../../instance/model-instance.ts'
import type { InferenceStats } from '../../metrics/inference-stats.ts'
import type { Clock } from '../../util/clock.ts'
import type { BatchKey } from '../batch-key.ts'
import type { NullRequest } from './null-request.ts'
import { ReadySlots } from './ready-slots.ts'
import type { OnTaken, SequenceBatcher } from './sequence-batcher.ts'
import type { SequenceInputs } from './sequence-inputs.ts'
import type { SequenceSlot } from './sequence-slot.ts'
import type { SequenceStep } from './sequence-step.ts'

export interface DirectBatcherParts {
  readonly slotCount: number
  readonly instance: ModelInstance
  /** Of the one instance. */
  readonly pool: InstancePool
  /** How long a request may wait for others, in milliseconds; 0: not at all. */
  readonly maxQueueDelay: number
  /** The part of the slots that need not wait for others; 0: nobody waits. */
  readonly minimumSlotUtilization: number
  /** Whether a sequence keeps its slot until its request is released. */
  readonly keepsSlot: boolean
  readonly batchKey: BatchKey
  readonly inputs: SequenceInputs
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly onTaken: OnTaken
}

/**
 * Triton's direct strategy: in every batch a sequence has the place of its slot, so the model may keep its state by
 * place. A batch reaches up to the highest slot that has a request; places without one get a null request.
 */
export class DirectBatcher implements SequenceBatcher {
  readonly slotCount: number
  /** Those that were ever used, by number. */
  readonly #slots: SequenceSlot[] = []
  readonly #ready: ReadySlots
  readonly #parts: DirectBatcherParts
  #dispatching = false

  constructor(parts: DirectBatcherParts) {
    this.#parts = parts
    this.slotCount = parts.slotCount
    this.#ready = new ReadySlots(this.#slots, parts, () => this.#dispatch())
    parts.pool.onIdle(() => this.#dispatch())
  }

  slotChanged(slot: SequenceSlot): void {
    this.#slots[slot.number] = slot
    this.#ready.update(slot)
    this.#dispatch()
  }

  /** What it takes runs at once. */
  withdraw(): boolean {
    return false
  }

  rejectWaiting(): void {}

  remove(): Promise<void> {
    const { pool, instance } = this.#parts
    return pool.remove(instance)
  }

  /** A loop, not recursion: an inline backend becomes idle again inside `run`. */
  #dispatch(): void {
    if (this.#dispatching) return
    this.#dispatching = true
    let isWaiting = true
    try {
      isWaiting = this.#fillInstance()
    } finally {
      this.#dispatching = false
    }
    if (!isWaiting) this.#parts.pool.waive()
  }

  /** Whether a batch is left that waits for the instance. */
  #fillInstance(): boolean {
    const { pool } = this.#parts
    let rule = this.#ready.decide()
    while (rule !== undefined && pool.hasIdle) {
      const instance = pool.acquire()
      if (instance === undefined) return true
      instance.run(this.#collect(), rule, () => pool.release(instance))
      rule = this.#ready.decide()
    }
    return rule !== undefined
  }

  /**
   * Where shapes have to agree, a request that differs from the one that waits longest is for a later batch. It joins
   * its sequence again then.
   */
  #collect(): BatchMember[] {
    const { inputs } = this.#parts
    const { oldest, highest } = this.#ready
    const first = this.#firstOf(oldest) as SequenceStep
    const key = this.#joinedKey(first)
    const batch: BatchMember[] = []
    let filler: NullRequest | undefined
    for (let number = 0; number <= highest; number++) {
      const step = this.#firstOf(number)
      if (step === undefined || (step !== first && this.#joinedKey(step) !== key)) {
        filler = filler?.another() ?? inputs.nullRequest(first.request)
        batch.push(filler)
      } else {
        this.#take(step)
        batch.push(step.request)
      }
    }
    return batch
  }

  /** What the batch of a request needs to agree in, with the control and state inputs that it gets here. */
  #joinedKey(step: SequenceStep): string {
    const { inputs, batchKey } = this.#parts
    inputs.join(step)
    return batchKey(step.request.inputs)
  }

  #firstOf(slot: number): SequenceStep | undefined {
    return this.#slots[slot]?.sequence?.waiting.first
  }

  #take(step: SequenceStep): void {
    const { stats, keepsSlot, onTaken } = this.#parts
    const { sequence } = step
    sequence.waiting.remove(step)
    stats.pending--
    if (keepsSlot) {
      step.isRunning = true
      sequence.running++
    }
    onTaken(sequence)
  }
}
