import type { SequenceBatcher } from './sequence-batcher.ts'
import { SequenceSlot } from './sequence-slot.ts'

/**
 * Free slots. The lowest number comes first, so sequences spread over the instances and batches stay small; of equal
 * numbers the slot that became free first. A binary heap: what a sequence costs at its start and end grows with the
 * logarithm of the free slots. A slot is made when the one before it is first taken, since a model may allow millions.
 */
export class SlotPool {
  #heap: FreeSlot[] = []
  #added = 0

  /** Adds the slots of a batcher. */
  addAll(batcher: SequenceBatcher): void {
    this.add(new SequenceSlot(batcher, 0))
  }

  add(slot: SequenceSlot): void {
    const free = { slot, order: this.#added++ }
    const heap = this.#heap
    let hole = heap.push(free) - 1
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      const above = heap[parent] as FreeSlot
      if (isBefore(above, free)) break
      heap[hole] = above
      hole = parent
    }
    heap[hole] = free
  }

  take(): SequenceSlot | undefined {
    const slot = this.#pop()
    if (slot === undefined || slot.wasTaken) return slot
    slot.wasTaken = true
    const { batcher, number } = slot
    if (number + 1 < batcher.slotCount) this.add(new SequenceSlot(batcher, number + 1))
    return slot
  }

  /** Forgets the free slots of a batcher. */
  removeAll(batcher: SequenceBatcher): void {
    const rest = this.#heap.filter(({ slot }) => slot.batcher !== batcher)
    // Sorted is a heap as well.
    this.#heap = rest.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  }

  #pop(): SequenceSlot | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first?.slot
    let hole = 0
    for (;;) {
      let child = 2 * hole + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as FreeSlot, heap[child] as FreeSlot)) child++
      if (isBefore(last, heap[child] as FreeSlot)) break
      heap[hole] = heap[child] as FreeSlot
      hole = child
    }
    heap[hole] = last
    return first?.slot
  }
}

interface FreeSlot {
  readonly slot: SequenceSlot
  readonly order: number
}

const isBefore = (a: FreeSlot, b: FreeSlot): boolean =>
  a.slot.number < b.slot.number || (a.slot.number === b.slot.number && a.order < b.order)
