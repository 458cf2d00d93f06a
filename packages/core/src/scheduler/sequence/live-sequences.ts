import type { Clock } from '../../util/clock.ts'
import { IdleTimeouts } from './idle-timeouts.ts'
import { Sequence } from './sequence.ts'

/** The open sequences by correlation id; the number 5 and the text '5' are different ids. */
export class LiveSequences {
  readonly #open = new Map<bigint | string, Sequence>()
  readonly #idleTimeouts: IdleTimeouts
  #onEnded: (() => void)[] = []

  /**
   * @param idleLimit in milliseconds.
   * @param onIdle hears of a sequence that has a slot and for which no request came for so long.
   */
  constructor(idleLimit: number, clock: Clock, onIdle: (sequence: Sequence) => void) {
    this.#idleTimeouts = new IdleTimeouts(idleLimit, clock, onIdle)
  }

  [Symbol.iterator](): Iterator<Sequence> {
    return this.#open.values()
  }

  find(id: bigint | string): Sequence | undefined {
    return this.#open.get(id)
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  begin(id: bigint | string): Sequence {
    const sequence = new Sequence(id)
    this.#open.set(id, sequence)
    return sequence
  }

  /** The sequence is not idle now. One without a slot never is, and one that is closed cannot be. */
  touch(sequence: Sequence): void {
    if (sequence.isOpen && sequence.slot !== undefined) this.#idleTimeouts.touch(sequence)
  }

  /** No more requests are taken for it; its id may begin another one. */
  close(sequence: Sequence): void {
    if (!sequence.isOpen) return
    sequence.isOpen = false
    this.#open.delete(sequence.id)
    this.#idleTimeouts.forget(sequence)
    if (this.#open.size > 0) return
    for (const listener of this.#onEnded.splice(0)) listener()
  }

  /** Resolves when no sequence is open. */
  ended(): Promise<void> {
    return this.#open.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEnded.push(resolve))
  }
}
