import { BinaryHeap } from '../../util/binary-heap.ts'
import type { SequenceBatcher } from './sequence-batcher.ts'
import { SequenceSlot } from './sequence-slot.ts'

/**
 * Free slots. The lowest number comes first, so sequences spread over the instances and batches stay small; of equal
 * numbers the slot that became free first. What a sequence costs at its start and end grows with the logarithm of the
 * free slots. A slot is made when the one before it is first taken, since a model may allow millions.
 */
export class SlotPool {
  readonly #heap = new BinaryHeap<FreeSlot>(isBefore)
  #added = 0

  /** Adds the slots of a batcher. */
  addAll(batcher: SequenceBatcher): void {
    this.add(new SequenceSlot(batcher, 0))
  }

  add(slot: SequenceSlot): void {
    this.#heap.push({ slot, order: this.#added++ })
  }

  take(): SequenceSlot | undefined {
    const slot = this.#heap.shift()?.slot
    if (slot === undefined || slot.wasTaken) return slot
    slot.wasTaken = true
    const { batcher, number } = slot
    if (number + 1 < batcher.slotCount) this.add(new SequenceSlot(batcher, number + 1))
    return slot
  }

  /** Forgets the free slots of a batcher. */
  removeAll(batcher: SequenceBatcher): void {
    this.#heap.keep(({ slot }) => slot.batcher !== batcher)
  }
}

interface FreeSlot {
  readonly slot: SequenceSlot
  readonly order: number
}

const isBefore = (a: FreeSlot, b: FreeSlot): boolean =>
  a.slot.number < b.slot.number || (a.slot.number === b.slot.number && a.order < b.order)
