import type { InferenceRequest } from '../../request/inference-request.ts'
import type { NullRequest } from './null-request.ts'
import type { SequenceControls } from './sequence-controls.ts'
import type { SequenceStateFactory } from './sequence-state.ts'
import type { SequenceStep } from './sequence-step.ts'

/** The inputs that a model gets beside those of its callers: control inputs, and the state of the sequence. */
export class SequenceInputs {
  readonly #controls: SequenceControls
  readonly #states: SequenceStateFactory

  constructor(controls: SequenceControls, states: SequenceStateFactory) {
    this.#controls = controls
    this.#states = states
  }

  /** Prepares a request that runs now. START begins with a new state, also where the sequence before did not end. */
  join({ request, sequence }: SequenceStep): void {
    if (request.sequenceStart || sequence.state === undefined) sequence.state = this.#states.create()
    request.joinSequence(this.#controls.tensorsFor(request), sequence.state)
  }

  /** What fills an empty place in a batch of requests like `request`, which has joined its sequence. */
  nullRequest(request: InferenceRequest): NullRequest {
    return this.#controls.nullRequest(request)
  }
}
