import type { Sequence } from './sequence.ts'
import type { SequenceBatcher } from './sequence-batcher.ts'

/** A place for one live sequence on one instance. */
export class SequenceSlot {
  readonly batcher: SequenceBatcher
  /** From 0; in a direct batch the position of its requests. */
  readonly number: number
  sequence: Sequence | undefined
  /** Whether a sequence ever had it. */
  wasTaken = false

  constructor(batcher: SequenceBatcher, number: number) {
    this.batcher = batcher
    this.number = number
  }
}
