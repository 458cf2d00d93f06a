import type { ModelInstance } from '../../instance/model-instance.ts'
import type { Sequence } from './sequence.ts'
import type { SequenceBacklog } from './sequence-backlog.ts'
import type { OnTaken, SequenceBatcher } from './sequence-batcher.ts'
import type { SequenceSlot } from './sequence-slot.ts'
import { SlotPool } from './slot-pool.ts'

export type CreateBatcher = (instance: ModelInstance, onTaken: OnTaken) => SequenceBatcher

/** A batcher that gets no more sequences. */
interface Leaving {
  /** How many it still has. */
  left: number
  readonly onUnused: () => void
}

/** Where sequences are: in a slot of an instance, or in the backlog until one is free. */
export class SequencePlaces {
  readonly #createBatcher: CreateBatcher
  readonly #backlog: SequenceBacklog
  readonly #onPlaced: (sequence: Sequence) => void
  readonly #batchers = new Map<ModelInstance, SequenceBatcher>()
  readonly #leaving = new Map<SequenceBatcher, Leaving>()
  /** Sequences that have a slot. */
  readonly #placed = new Set<Sequence>()
  readonly #freeSlots = new SlotPool()

  /** @param onPlaced hears that a sequence came from the backlog into a slot. */
  constructor(createBatcher: CreateBatcher, backlog: SequenceBacklog, onPlaced: (sequence: Sequence) => void) {
    this.#createBatcher = createBatcher
    this.#backlog = backlog
    this.#onPlaced = onPlaced
  }

  /** Every batcher that runs. */
  get batchers(): SequenceBatcher[] {
    return [...this.#batchers.values(), ...this.#leaving.keys()]
  }

  /** Every sequence that is in a slot or in the backlog. */
  get sequences(): Sequence[] {
    return [...this.#placed, ...this.#backlog]
  }

  /** A place for a sequence that begins. */
  place(sequence: Sequence): void {
    const slot = this.#freeSlots.take()
    if (slot === undefined) this.#backlog.push(sequence)
    else this.#put(sequence, slot)
  }

  /** Something about the sequence is different: its batcher may act, or its place is for others if it is over. */
  advance(sequence: Sequence): void {
    const { slot } = sequence
    if (slot === undefined) {
      if (sequence.isOver) this.#backlog.remove(sequence)
    } else if (sequence.isOver) {
      this.#placed.delete(sequence)
      sequence.slot = undefined
      slot.sequence = undefined
      this.#fill(slot)
    } else slot.batcher.slotChanged(slot)
  }

  addInstance(instance: ModelInstance): void {
    const batcher = this.#createBatcher(instance, (sequence) => this.advance(sequence))
    this.#batchers.set(instance, batcher)
    this.#freeSlots.addAll(batcher)
    while (!this.#backlog.isEmpty) {
      const slot = this.#freeSlots.take()
      if (slot === undefined) break
      this.#fill(slot)
    }
  }

  /** Resolves when the sequences of the instance are over and it does not run. */
  async removeInstance(instance: ModelInstance): Promise<void> {
    const batcher = this.#batchers.get(instance) as SequenceBatcher
    this.#batchers.delete(instance)
    this.#freeSlots.removeAll(batcher)
    const left = [...this.#placed].filter(({ slot }) => slot?.batcher === batcher).length
    if (left > 0) await new Promise<void>((onUnused) => this.#leaving.set(batcher, { left, onUnused }))
    await batcher.remove()
  }

  /** Gives a free slot to the sequence that waits longest. */
  #fill(slot: SequenceSlot): void {
    const { batcher } = slot
    const leaving = this.#leaving.get(batcher)
    if (leaving === undefined) {
      const next = this.#backlog.shift()
      if (next === undefined) this.#freeSlots.add(slot)
      else {
        this.#put(next, slot)
        this.#onPlaced(next)
      }
    } else if (--leaving.left === 0) {
      this.#leaving.delete(batcher)
      leaving.onUnused()
    }
    batcher.slotChanged(slot)
  }

  #put(sequence: Sequence, slot: SequenceSlot): void {
    this.#placed.add(sequence)
    sequence.slot = slot
    slot.sequence = sequence
  }
}
