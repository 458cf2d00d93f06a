import type { InferenceRequest } from '../../request/inference-request.ts'
import type { Linked } from '../../util/linked-list.ts'
import { LinkedList } from '../../util/linked-list.ts'
import type { Deadline } from '../deadline-heap.ts'
import type { SequenceSlot } from './sequence-slot.ts'
import type { SequenceState } from './sequence-state.ts'
import { SequenceStep } from './sequence-step.ts'

/**
 * The requests that belong together, in order. It is open while more may come, and over when it is closed and all that
 * came has run. It has a slot, or waits in the backlog for one.
 */
export class Sequence implements Linked<Sequence> {
  readonly id: bigint | string
  /** Requests that no batcher has taken yet. */
  readonly waiting = new LinkedList<SequenceStep>()
  slot: SequenceSlot | undefined
  /** What the model keeps for it. */
  state: SequenceState | undefined
  isOpen = true
  /** It was closed because no request came for too long. */
  wasIdle = false
  /** Requests that a batcher took and that the slot is kept for. */
  running = 0
  /** When its last request came, on the clock. */
  lastActivity = 0
  /** When it has to leave the backlog at the latest. */
  deadline: Deadline<Sequence> | undefined
  // Its place in the backlog or, with a slot and open, among those that may become idle.
  list: LinkedList<Sequence> | undefined
  previous: Sequence | undefined
  next: Sequence | undefined

  constructor(id: bigint | string) {
    this.id = id
  }

  /** Whether it has a slot or is in the backlog. */
  get hasPlace(): boolean {
    return this.slot !== undefined || this.list !== undefined
  }

  /** Nothing is left to do for it. */
  get isOver(): boolean {
    return !this.isOpen && this.running === 0 && this.waiting.length === 0
  }

  add(request: InferenceRequest): SequenceStep {
    const step = new SequenceStep(this, request)
    request.sequenceStep = step
    this.waiting.push(step)
    return step
  }

  /** Takes `first` and all that wait behind it out; without it all that wait. */
  cut(first: SequenceStep | undefined = this.waiting.first): SequenceStep[] {
    const steps: SequenceStep[] = []
    for (let step = first; step !== undefined; ) {
      const { next } = step
      this.waiting.remove(step)
      steps.push(step)
      step = next
    }
    return steps
  }
}
