import type { Logger, TritonError } from '@triton-ts/core'
import type { ExecutionMarks, ExecutionRequest } from '@triton-ts/core/backend'
import type { RequestEvent } from '../messages/messages.ts'
import { RunningRequest } from './running-request.ts'

/** What a batch needs of its worker. Requests are told by their place in the batch. */
interface BatchOwner {
  /** The caller of a request gave up. */
  cancelled(place: number): void
  /** Whoever reads the responses of a request has room for another one. */
  taken(place: number): void
}

/** A batch that a worker runs: what comes of it goes to the engine's requests. */
export class RunningBatch {
  /** Settles as `execute` does in the worker, or fails with the worker. */
  readonly executed: Promise<void>
  readonly #requests: readonly RunningRequest[]
  readonly #marks: ExecutionMarks
  #isExecuting = true
  #isComputing = true
  #resolve!: () => void
  #reject!: (error: TritonError) => void

  constructor(requests: readonly ExecutionRequest[], marks: ExecutionMarks, logger: Logger, owner: BatchOwner) {
    this.#marks = marks
    this.#requests = requests.map(
      (request, place) =>
        new RunningRequest(
          request,
          logger,
          () => owner.cancelled(place),
          () => owner.taken(place),
        ),
    )
    this.executed = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    marks.computeStart()
  }

  get isExecuting(): boolean {
    return this.#isExecuting
  }

  /** Whether something may still come of it. */
  get isOpen(): boolean {
    return this.#isExecuting || this.#requests.some(({ isOpen }) => isOpen)
  }

  /** Whether somebody who waited for an answer gave up. */
  get hasCancelled(): boolean {
    return this.#requests.some(({ isOpen, request }) => isOpen && request.isCancelled)
  }

  /** Whether all who wait for an answer gave up. */
  get isForsaken(): boolean {
    const open = this.#requests.filter(({ isOpen }) => isOpen)
    return open.length > 0 && open.every(({ request }) => request.isCancelled)
  }

  /** The request at this place, for what is sent in its service. */
  request(place: number): ExecutionRequest | undefined {
    return this.#requests[place]?.request
  }

  receive(place: number, event: RequestEvent): void {
    this.#computed()
    this.#requests[place]?.receive(event)
  }

  /** `execute` is over. The engine answers what is not answered and not kept. */
  return(error: TritonError | undefined): void {
    this.#computed()
    this.#isExecuting = false
    for (const request of this.#requests) if (error !== undefined || !request.isKept) request.close()
    if (error === undefined) this.#resolve()
    else this.#reject(error)
  }

  /** Nothing comes from the worker any more. */
  fail(error: TritonError): void {
    for (const request of this.#requests) request.fail(error)
    if (this.#isExecuting) this.return(undefined)
  }

  #computed(): void {
    if (!this.#isComputing) return
    this.#isComputing = false
    this.#marks.computeEnd()
  }
}
