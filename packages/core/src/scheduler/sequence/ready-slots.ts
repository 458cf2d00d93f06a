import type { SendRule } from '../../instance/send-rule.ts'
import type { Clock } from '../../util/clock.ts'
import { WakeUp } from '../wake-up.ts'
import type { SequenceSlot } from './sequence-slot.ts'

export interface ReadySlotsRules {
  readonly slotCount: number
  /** How long a request may wait for others, in milliseconds; 0: not at all. */
  readonly maxQueueDelay: number
  /** The part of the slots that need not wait for others; 0: nobody waits. */
  readonly minimumSlotUtilization: number
  readonly clock: Clock
}

/** The slots of a direct batcher whose sequence has a request, and whether a batch of them should go. */
export class ReadySlots {
  readonly #slots: readonly SequenceSlot[]
  readonly #rules: ReadySlotsRules
  readonly #isReady: boolean[] = []
  readonly #wakeUp: WakeUp
  #count = 0
  /** No slot with a higher number is ready. */
  #highestBound = -1
  /** No request that is next in its slot came before this. */
  #oldestBound = Number.POSITIVE_INFINITY

  /**
   * @param slots those that were ever used, by number.
   * @param onDelayOver hears that a request has waited long enough.
   */
  constructor(slots: readonly SequenceSlot[], rules: ReadySlotsRules, onDelayOver: () => void) {
    this.#slots = slots
    this.#rules = rules
    this.#wakeUp = new WakeUp(rules.clock, onDelayOver)
  }

  /** Looks whether a slot has become ready, or is so no longer. */
  update({ number, sequence }: SequenceSlot): void {
    const next = sequence?.waiting.first
    const isReady = next !== undefined
    if (isReady) this.#oldestBound = Math.min(this.#oldestBound, next.request.queuedAt)
    const wasReady = this.#isReady[number] ?? false
    if (wasReady === isReady) return
    this.#isReady[number] = isReady
    this.#count += isReady ? 1 : -1
    if (isReady) this.#highestBound = Math.max(this.#highestBound, number)
    if (this.#count === 0) this.#reset()
  }

  /** The ready slot whose request waits longest, of equal ones the lowest; there is one. */
  get oldest(): number {
    let oldest = this.#isReady.indexOf(true)
    for (let number = oldest + 1; number <= this.#highestBound; number++) {
      if (this.#queuedAt(number) < this.#queuedAt(oldest)) oldest = number
    }
    return oldest
  }

  /** Of a ready slot; -1 without any. */
  get highest(): number {
    while (this.#highestBound >= 0 && !this.#isReady[this.#highestBound]) this.#highestBound--
    return this.#highestBound
  }

  /** The rule by which a batch should go now; undefined when none should. */
  decide(): SendRule | undefined {
    if (this.#count === 0) return undefined
    const { slotCount, maxQueueDelay, minimumSlotUtilization } = this.#rules
    if (this.#count === slotCount) return 'full'
    if (maxQueueDelay === 0 || minimumSlotUtilization === 0) return 'instance free'
    if (this.#count / slotCount >= minimumSlotUtilization) return 'slot utilization'
    return this.#isDelayOver() ? 'delay over' : undefined
  }

  #isDelayOver(): boolean {
    const { clock, maxQueueDelay } = this.#rules
    const now = clock.now()
    if (now >= this.#oldestBound + maxQueueDelay) this.#oldestBound = this.#queuedAt(this.oldest)
    const end = this.#oldestBound + maxQueueDelay
    if (now < end) this.#wakeUp.by(end)
    return now >= end
  }

  /** When the next request of a slot began to wait; never, where there is none. */
  #queuedAt(slot: number): number {
    return this.#slots[slot]?.sequence?.waiting.first?.request.queuedAt ?? Number.POSITIVE_INFINITY
  }

  #reset(): void {
    this.#oldestBound = Number.POSITIVE_INFINITY
    this.#wakeUp.cancel()
  }
}
