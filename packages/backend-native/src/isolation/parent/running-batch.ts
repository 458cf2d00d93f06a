import type { Logger, TritonError } from '@triton-ts/core'
import type { ExecutionMarks, ExecutionRequest } from '@triton-ts/core/backend'
import type { BatchEvent } from '../messages/batch-event.ts'
import { fromErrorMessage } from '../messages/error-message.ts'
import { fromTensorMessage } from '../messages/tensor-message.ts'
import { RunningRequest } from './running-request.ts'

/** What a batch needs of its process. */
interface BatchOwner {
  /** The caller of a request gives up. @param place of the request in the batch. */
  cancel(place: number): void
  /** Nobody waits for it any more. Called once, before `released`. */
  unawaited(): void
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
  #isAwaited = true
  #resolve!: () => void
  #reject!: (error: TritonError) => void

  constructor(requests: readonly ExecutionRequest[], marks: ExecutionMarks, logger: Logger, owner: BatchOwner) {
    this.#marks = marks
    this.#owner = owner
    this.#requests = requests.map((request, place) => new RunningRequest(request, logger, () => this.#cancel(place)))
    this.executed = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  receive(event: BatchEvent): void {
    this.#tell(event)
    this.#checkAwaited()
  }

  #tell(event: BatchEvent): void {
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
        this.#requests[event.request]?.fail(fromErrorMessage(event.error), event.final)
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
      case 'activity':
        this.#requests[event.request]?.noteActivity(event.activity, event.time)
        break
      case 'reportRequest':
        this.#reportOf(event, (request) => this.#marks.reportRequest(request, event.durations, event.success))
        break
      case 'reportBatch':
        this.#marks.reportBatch(event.batchSize, event.durations)
        break
      case 'reportResponse':
        this.#reportOf(event, (request) => this.#marks.reportResponse(request, event.response))
        break
      case 'executed':
        this.#return(event.error && fromErrorMessage(event.error))
        break
      case 'released':
        this.#release()
        break
    }
  }

  /** Nothing comes from the child any more. */
  fail(error: TritonError): void {
    if (this.#isExecuting) this.#return(error)
    for (const request of this.#requests) {
      if (!request.isOpen) continue
      this.#marks.reportRequest(request.request, noTime, false)
      request.fail(error, true)
    }
    this.#release()
  }

  #cancel(place: number): void {
    this.#owner.cancel(place)
    this.#checkAwaited()
  }

  /** An execution is waited for by requests in the queue, too, unless it is stuck. */
  #checkAwaited(): void {
    const isAwaited = this.#requests.some(
      ({ request, isOpen }) => (isOpen || this.#isExecuting) && !request.isCancelled,
    )
    if (!isAwaited) this.#letGo()
  }

  #release(): void {
    this.#letGo()
    this.#owner.released()
  }

  #letGo(): void {
    if (!this.#isAwaited) return
    this.#isAwaited = false
    this.#owner.unawaited()
  }

  /** The engine answers what is not answered and not kept. */
  #return(error: TritonError | undefined): void {
    this.#isExecuting = false
    for (const request of this.#requests) if (error !== undefined || !request.isKept) request.close()
    if (error === undefined) this.#resolve()
    else this.#reject(error)
  }

  #reportOf({ request: place }: { readonly request: number }, report: (request: ExecutionRequest) => void): void {
    const running = this.#requests[place]
    if (running !== undefined) report(running.request)
  }
}

const noTime = { computeInput: 0, computeInfer: 0, computeOutput: 0 }
