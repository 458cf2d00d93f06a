import type { Clock } from '../../util/clock.ts'
import { LinkedList } from '../../util/linked-list.ts'
import { WakeUp } from '../wake-up.ts'
import type { Sequence } from './sequence.ts'

/**
 * Open sequences in order of their last request, so that the first is the first to have been idle for too long. A
 * request moves its sequence to the end; one timer serves all. Every step takes constant time.
 */
export class IdleTimeouts {
  readonly #limit: number
  readonly #clock: Clock
  readonly #onIdle: (sequence: Sequence) => void
  readonly #sequences = new LinkedList<Sequence>()
  readonly #wakeUp: WakeUp

  /** @param limit in milliseconds. */
  constructor(limit: number, clock: Clock, onIdle: (sequence: Sequence) => void) {
    this.#limit = limit
    this.#clock = clock
    this.#onIdle = onIdle
    this.#wakeUp = new WakeUp(clock, () => this.#expire())
  }

  /** The sequence is not idle now. */
  touch(sequence: Sequence): void {
    this.#sequences.remove(sequence)
    sequence.lastActivity = this.#clock.now()
    this.#sequences.push(sequence)
    this.#wakeUp.by(sequence.lastActivity + this.#limit)
  }

  forget(sequence: Sequence): void {
    this.#sequences.remove(sequence)
    if (this.#sequences.length === 0) this.#wakeUp.cancel()
  }

  #expire(): void {
    const now = this.#clock.now()
    for (let first = this.#sequences.first; first !== undefined; first = this.#sequences.first) {
      const end = first.lastActivity + this.#limit
      if (now < end) {
        this.#wakeUp.by(end)
        return
      }
      this.#sequences.remove(first)
      this.#onIdle(first)
    }
  }
}
