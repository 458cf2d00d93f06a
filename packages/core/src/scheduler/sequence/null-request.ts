import type { BatchMember } from '../../instance/batch-member.ts'
import { CallerlessRequest } from '../../instance/callerless-request.ts'
import type { Tensor } from '../../request/tensor.ts'

/**
 * Fills a place of a batch for which no request is ready. A backend sees it as any other request, with the shapes of
 * another request of the batch and no outputs wanted. Whatever it answers is dropped, and only the size of the batch
 * counts it.
 */
export class NullRequest extends CallerlessRequest implements BatchMember {
  readonly requestedOutputs = []
  readonly isCancelled = false
  readonly isKept = false
  readonly isFiller = true
  readonly isCounted = true

  constructor({ batchSize, startTime }: BatchMember, inputs: ReadonlyMap<string, Tensor>) {
    super(inputs, batchSize, startTime)
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
