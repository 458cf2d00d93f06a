import type { ModelInstance } from '../../instance/model-instance.ts'
import type { Sequence } from './sequence.ts'
import type { SequenceBacklog } from './sequence-backlog.ts'
import type { OnTaken, SequenceBatcher } from './sequence-batcher.ts'
import type { SequenceSlot } from './sequence-slot.ts'
import { SlotPool } from './slot-pool.ts'

export type CreateBatcher = (instance: ModelInstance, onTaken: OnTaken) => SequenceBatcher

/** Where sequences are: in a slot of an instance, or in the backlog until one is free. */
export class SequencePlaces {
  readonly #createBatcher: CreateBatcher
  readonly #backlog: SequenceBacklog
  readonly #onPlaced: (sequence: Sequence) => void
  readonly #batchers = new Map<ModelInstance, SequenceBatcher>()
  /** Batchers that get no more sequences, and what to do when the last one is over. */
  readonly #leaving = new Map<SequenceBatcher, () => void>()
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
    const inSlots = this.batchers.flatMap(({ slots }) => slots.map(({ sequence }) => sequence))
    return [...inSlots.filter((sequence) => sequence !== undefined), ...this.#backlog]
  }

  /** A place for a sequence that begins. */
  place(sequence: Sequence): void {
    const slot = this.#freeSlots.take()
    if (slot === undefined) this.#backlog.push(sequence)
    else put(sequence, slot)
  }

  /** Something about the sequence is different: its batcher may act, or its place is for others if it is over. */
  advance(sequence: Sequence): void {
    const { slot } = sequence
    if (slot === undefined) {
      if (sequence.isOver) this.#backlog.remove(sequence)
    } else if (sequence.isOver) {
      sequence.slot = undefined
      slot.sequence = undefined
      this.#fill(slot)
    } else slot.batcher.slotChanged(slot)
  }

  addInstance(instance: ModelInstance): void {
    const batcher = this.#createBatcher(instance, (sequence) => this.advance(sequence))
    this.#batchers.set(instance, batcher)
    for (const slot of batcher.slots) this.#fill(slot)
  }

  /** Resolves when the sequences of the instance are over and it does not run. */
  async removeInstance(instance: ModelInstance): Promise<void> {
    const batcher = this.#batchers.get(instance) as SequenceBatcher
    this.#batchers.delete(instance)
    this.#freeSlots.removeAll(batcher)
    if (isUsed(batcher)) await new Promise<void>((resolve) => this.#leaving.set(batcher, resolve))
    await batcher.remove()
  }

  /** Gives a free slot to the sequence that waits longest. */
  #fill(slot: SequenceSlot): void {
    const { batcher } = slot
    const onUnused = this.#leaving.get(batcher)
    if (onUnused === undefined) {
      const next = this.#backlog.shift()
      if (next === undefined) this.#freeSlots.add(slot)
      else {
        put(next, slot)
        this.#onPlaced(next)
      }
    } else if (!isUsed(batcher)) {
      this.#leaving.delete(batcher)
      onUnused()
    }
    batcher.slotChanged(slot)
  }
}

const isUsed = ({ slots }: SequenceBatcher): boolean => slots.some(({ sequence }) => sequence !== undefined)

function put(sequence: Sequence, slot: SequenceSlot): void {
  sequence.slot = slot
  slot.sequence = sequence
}
