import { type Logger, TritonError } from '@triton-ts/core'
import type { ExecutionMarks, ExecutionRequest } from '@triton-ts/core/backend'
import type { BatchEvent } from '../messages/batch-event.ts'
import { fromErrorMessage } from '../messages/error-message.ts'
import { fromTensorMessage } from '../messages/tensor-message.ts'
import { RunningRequest } from './running-request.ts'

/** What a batch needs of its process. */
interface BatchOwner {
  /** The caller of a request gives up. @param place of the request in the batch. */
  cancel(place: number): void
  /** Nothing more comes of the batch. */
  released(): void
}

/** A batch that the child runs: what comes of it goes to the engine's requests. */
export class RunningBatch {
  /** Settles as `execute` does in the child, or fails with the child. */
  readonly executed: Promise<void>
  readonly #requests: readonly RunningRequest[]
  readonly #marks: ExecutionMarks
  readonly #owner: BatchOwner
  #isExecuting = true
  #resolve!: () => void
  #reject!: (error: TritonError) => void

  constructor(requests: readonly ExecutionRequest[], marks: ExecutionMarks, logger: Logger, owner: BatchOwner) {
    this.#marks = marks
    this.#owner = owner
    this.#requests = requests.map((request, place) => new RunningRequest(request, logger, () => owner.cancel(place)))
    this.executed = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  receive(event: BatchEvent): void {
    switch (event.kind) {
      case 'computeStart':
        this.#marks.computeStart()
        break
      case 'computeEnd':
        this.#marks.computeEnd()
        break
      case 'respond':
        this.#requests[event.request]?.respond(event)
        break
      case 'fail':
        this.#requests[event.request]?.fail(fromErrorMessage(event.error))
        break
      case 'end':
        this.#requests[event.request]?.end()
        break
      case 'keep':
        this.#requests[event.request]?.keep()
        break
      case 'reschedule':
        this.#requests[event.request]?.reschedule()
        break
      case 'updateState':
        this.#requests[event.request]?.updateState(event.state.name, fromTensorMessage(event.state))
        break
      case 'reportRequest':
        this.#marks.reportRequest(this.#request(event.request), event.durations, event.success)
        break
      case 'reportBatch':
        this.#marks.reportBatch(event.batchSize, event.durations)
        break
      case 'reportResponse':
        this.#marks.reportResponse(this.#request(event.request), event.response)
        break
      case 'executed':
        this.#return(event.error && fromErrorMessage(event.error))
        break
      case 'released':
        this.#owner.released()
        break
    }
  }

  /** Nothing comes from the child any more. */
  fail(error: TritonError): void {
    if (this.#isExecuting) this.#return(error)
    for (const request of this.#requests) {
      if (!request.isOpen) continue
      this.#marks.reportRequest(request.request, noTime, false)
      request.fail(error)
    }
    this.#owner.released()
  }

  /** The engine answers what is not answered and not kept. */
  #return(error: TritonError | undefined): void {
    this.#isExecuting = false
    for (const request of this.#requests) if (error !== undefined || !request.isKept) request.close()
    if (error === undefined) this.#resolve()
    else this.#reject(error)
  }

  #request(place: number): ExecutionRequest {
    const running = this.#requests[place]
    if (running !== undefined) return running.request
    throw new TritonError('INTERNAL', `the batch has no request ${place}`)
  }
}

const noTime = { computeInput: 0, computeInfer: 0, computeOutput: 0 }
