import type { SequenceBatcher } from './sequence-batcher.ts'
import type { SequenceSlot } from './sequence-slot.ts'

/**
 * Free slots. The lowest number comes first, so sequences spread over the instances and batches stay small; of equal
 * numbers the slot that became free first. A binary heap: what a sequence costs at its start and end grows with the
 * logarithm of the free slots.
 */
export class SlotPool {
  #heap: FreeSlot[] = []
  #added = 0

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

  /** Forgets the free slots of a batcher. */
  removeAll(batcher: SequenceBatcher): void {
    const rest = this.#heap.filter(({ slot }) => slot.batcher !== batcher)
    // Sorted is a heap as well.
    this.#heap = rest.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  }
}

interface FreeSlot {
  readonly slot: SequenceSlot
  readonly order: number
}

const isBefore = (a: FreeSlot, b: FreeSlot): boolean =>
  a.slot.number < b.slot.number || (a.slot.number === b.slot.number && a.order < b.order)
