import { TritonError } from '../../errors.ts'
import type { InferenceRequest } from '../../request/inference-request.ts'
import type { Logger } from '../../util/logger.ts'
import { stoppingError } from '../stopping-error.ts'
import type { LiveSequences } from './live-sequences.ts'
import type { Sequence } from './sequence.ts'

/** Says which sequence a request belongs to, by Triton's rules about ids, START and shutdown. */
export class SequenceAdmission {
  readonly #modelName: string
  readonly #isIterative: boolean
  readonly #live: LiveSequences
  readonly #logger: Logger
  #isClosed = false
  #nextId = 1n

  constructor(modelName: string, isIterative: boolean, live: LiveSequences, logger: Logger) {
    this.#modelName = modelName
    this.#isIterative = isIterative
    this.#live = live
    this.#logger = logger
  }

  /** No sequence begins any more. */
  close(): void {
    this.#isClosed = true
  }

  /**
   * The live sequence of a request, or a new one, which has no place yet.
   * @throws TritonError INVALID_ARG or UNAVAILABLE with Triton's texts.
   */
  admit(request: InferenceRequest): Sequence {
    if (request.batchSize > 1) throw this.#invalid('must specify batch-size 1 due to requirements of sequence batcher')
    if (!request.correlationId) this.#identify(request)
    const { correlationId, sequenceStart } = request
    if (sequenceStart && this.#isClosed) throw stoppingError()
    const live = this.#live.find(correlationId)
    if (live !== undefined && sequenceStart) this.#warnOfConflict(correlationId)
    if (live === undefined && !sequenceStart) throw this.startMissing(correlationId)
    return live ?? this.#live.begin(correlationId)
  }

  startMissing(id: bigint | string): TritonError {
    return this.#invalid('must specify the START flag on the first request of the sequence', ` for sequence ${id}`)
  }

  /** A request of an iterative model is a sequence by itself where its caller does not say otherwise. */
  #identify(request: InferenceRequest): void {
    if (!this.#isIterative) throw this.#invalid('must specify a non-zero or non-empty correlation ID')
    while (this.#live.find(this.#nextId) !== undefined) this.#nextId++
    request.beginSequence(this.#nextId++)
  }

  #warnOfConflict(id: bigint | string): void {
    const model = this.#modelName
    this.#logger.warn(
      { model },
      `sequence ${id} for model '${model}' has a conflict. The previous sequence did not end before this sequence start. ` +
        'Previous sequence will be terminated early.',
    )
  }

  #invalid(rule: string, which = ''): TritonError {
    return new TritonError('INVALID_ARG', `inference request${which} to model '${this.#modelName}' ${rule}`)
  }
}
