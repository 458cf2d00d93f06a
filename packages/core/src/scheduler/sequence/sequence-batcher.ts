import type { InferenceRequest } from '../../request/inference-request.ts'
import type { Sequence } from './sequence.ts'
import type { SequenceSlot } from './sequence-slot.ts'

/** Batches the requests of the sequences that one instance has. */
export interface SequenceBatcher {
  /** How many sequences it takes at a time. */
  readonly slotCount: number
  /** Something about the slot is different: it has another sequence or none, or that has a request more or less. */
  slotChanged(slot: SequenceSlot): void
  /** Takes a request back that was taken from its sequence but does not run yet; false when it runs. */
  withdraw(request: InferenceRequest): boolean
  /** Ends every request that was taken from its sequence but does not run yet. */
  rejectWaiting(reject: (request: InferenceRequest) => void): void
  /** Stops using the instance; resolves when it does not run and never will again. */
  remove(): Promise<void>
}

/** Hears that a batcher took the next request of a sequence. */
export type OnTaken = (sequence: Sequence) => void
