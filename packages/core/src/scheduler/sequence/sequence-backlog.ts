import type { Clock } from '../../util/clock.ts'
import { LinkedList } from '../../util/linked-list.ts'
import { afterDeadline, DeadlineHeap } from '../deadline-heap.ts'
import { WakeUp } from '../wake-up.ts'
import type { Sequence } from './sequence.ts'

/** Whole sequences that wait for a slot, in the order in which they came. */
export class SequenceBacklog {
  readonly #clock: Clock
  readonly #onExpired: (sequence: Sequence) => void
  readonly #sequences = new LinkedList<Sequence>()
  readonly #deadlines = new DeadlineHeap<Sequence>()
  readonly #wakeUp: WakeUp

  /** @param onExpired hears of a sequence that waited for too long; it is not in the backlog any more. */
  constructor(clock: Clock, onExpired: (sequence: Sequence) => void) {
    this.#clock = clock
    this.#onExpired = onExpired
    this.#wakeUp = new WakeUp(clock, () => this.#expire())
  }

  get isEmpty(): boolean {
    return this.#sequences.length === 0
  }

  [Symbol.iterator](): Iterator<Sequence> {
    return this.#sequences[Symbol.iterator]()
  }

  push(sequence: Sequence): void {
    this.#sequences.push(sequence)
  }

  /** A request of a waiting sequence came, with a timeout or 0: the earliest of them counts for the whole sequence. */
  limit(sequence: Sequence, timeoutMicroseconds: number): void {
    if (!(timeoutMicroseconds > 0)) return
    const at = this.#clock.now() + timeoutMicroseconds / 1000
    if (sequence.deadline !== undefined) {
      if (sequence.deadline.at <= at) return
      this.#deadlines.drop(sequence.deadline)
    }
    sequence.deadline = this.#deadlines.add(at, sequence)
    this.#wakeUp.by(at + afterDeadline)
  }

  shift(): Sequence | undefined {
    const { first } = this.#sequences
    if (first !== undefined) this.remove(first)
    return first
  }

  remove(sequence: Sequence): void {
    if (!this.#sequences.remove(sequence)) return
    if (sequence.deadline !== undefined) this.#deadlines.drop(sequence.deadline)
    sequence.deadline = undefined
    if (this.#deadlines.earliest === Number.POSITIVE_INFINITY) this.#wakeUp.cancel()
  }

  #expire(): void {
    const now = this.#clock.now()
    for (let late = this.#deadlines.shiftBefore(now); late !== undefined; late = this.#deadlines.shiftBefore(now)) {
      late.deadline = undefined
      this.#sequences.remove(late)
      this.#onExpired(late)
    }
    const { earliest } = this.#deadlines
    if (earliest < Number.POSITIVE_INFINITY) this.#wakeUp.by(earliest + afterDeadline)
  }
}
