import type {
  BackendInstance,
  ComputeDurations,
  ExecutionMarks,
  ExecutionRequest,
  ReportedResponse,
} from '@triton-ts/core/backend'
import type { BatchEvent } from '../messages/batch-event.ts'
import { toErrorMessage } from '../messages/error-message.ts'
import type { RequestMessage } from '../messages/request-message.ts'
import { HostedRequest, type HostedRequestOwner } from './hosted-request.ts'

/** A batch that the child's backend runs. It is over when `execute` has returned and every request has ended. */
export class HostedBatch implements ExecutionMarks, HostedRequestOwner {
  readonly tell: (event: BatchEvent) => void
  readonly #requests: readonly HostedRequest[]
  readonly #onRelease: () => void
  /** Requests that have not ended, and `execute`. */
  #open: number

  /** @param onRelease called once, when nothing more comes of the batch. */
  constructor(messages: readonly RequestMessage[], tell: (event: BatchEvent) => void, onRelease: () => void) {
    this.tell = tell
    this.#onRelease = onRelease
    this.#requests = messages.map((message, place) => new HostedRequest(message, place, this))
    this.#open = messages.length + 1
  }

  async run(instance: BackendInstance): Promise<void> {
    try {
      await instance.execute(this.#requests, this)
      this.tell({ kind: 'executed', error: undefined })
      for (const request of this.#requests) if (!request.isKept) request.takeBack()
    } catch (error) {
      this.tell({ kind: 'executed', error: toErrorMessage(error) })
      for (const request of this.#requests) request.takeBack()
    }
    this.ended()
  }

  cancel(request: number): void {
    this.#requests[request]?.cancel()
  }

  computeStart(): void {
    this.tell({ kind: 'computeStart' })
  }

  computeEnd(): void {
    this.tell({ kind: 'computeEnd' })
  }

  reportRequest(request: ExecutionRequest, durations: ComputeDurations, success: boolean): void {
    this.#tellOf(request, (place) => ({ kind: 'reportRequest', request: place, durations, success }))
  }

  reportBatch(batchSize: number, durations: ComputeDurations): void {
    this.tell({ kind: 'reportBatch', batchSize, durations })
  }

  reportResponse(request: ExecutionRequest, response: ReportedResponse): void {
    this.#tellOf(request, (place) => ({ kind: 'reportResponse', request: place, response }))
  }

  ended(): void {
    if (--this.#open > 0) return
    // What is reported after the last answer is reported in the same turn.
    setImmediate(() => {
      this.tell({ kind: 'released' })
      this.#onRelease()
    })
  }

  #tellOf(request: ExecutionRequest, event: (place: number) => BatchEvent): void {
    if (request instanceof HostedRequest) this.tell(event(request.place))
  }
}
