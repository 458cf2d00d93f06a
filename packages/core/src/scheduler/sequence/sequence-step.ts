import type { InferenceRequest } from '../../request/inference-request.ts'
import type { Linked, LinkedList } from '../../util/linked-list.ts'
import type { Sequence } from './sequence.ts'

/** A request as the next of its sequence. It is in the sequence's list until a batcher takes it. */
export class SequenceStep implements Linked<SequenceStep> {
  readonly sequence: Sequence
  readonly request: InferenceRequest
  /** A batcher took it, and the sequence keeps its slot until the request is released. */
  isRunning = false
  /** It ran before and was given back, as requests of iterative sequences are. */
  isRepeated = false
  list: LinkedList<SequenceStep> | undefined
  previous: SequenceStep | undefined
  next: SequenceStep | undefined

  constructor(sequence: Sequence, request: InferenceRequest) {
    this.sequence = sequence
    this.request = request
  }
}
