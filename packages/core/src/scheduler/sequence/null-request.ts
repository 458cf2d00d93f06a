import type { BatchMember } from '../../instance/batch-member.ts'
import type { Tensor } from '../../request/tensor.ts'

/**
 * Fills a place of a batch for which no request is ready. A backend sees it as any other request, with the shapes of
 * another request of the batch and no outputs wanted. Whatever it answers is dropped, and only the size of the batch
 * counts it.
 */
export class NullRequest implements BatchMember {
  readonly id = ''
  readonly correlationId = 0n
  readonly sequenceStart = false
  readonly sequenceEnd = false
  readonly priority = 0
  readonly timeoutMicroseconds = 0
  readonly parameters = {}
  readonly requestedOutputs = []
  readonly isCancelled = false
  readonly isKept = false
  readonly isFiller = true
  readonly inputs: ReadonlyMap<string, Tensor>
  readonly batchSize: number
  readonly startTime: number

  constructor(like: BatchMember, inputs: ReadonlyMap<string, Tensor>) {
    this.inputs = inputs
    this.batchSize = like.batchSize
    this.startTime = like.startTime
  }

  /** For one more place of the same batch. */
  another(): NullRequest {
    return new NullRequest(this, this.inputs)
  }

  get signal(): AbortSignal {
    return new AbortController().signal
  }

  begin(): void {}

  isRunningIn(): boolean {
    return false
  }

  respond(): void {}

  end(): void {}

  fail(): void {}

  keep(): void {}

  updateState(): void {}

  reschedule(): void {}

  reject(): void {}
}
