import type { BackendInstance, ExecutionMarks } from '@triton-ts/core/backend'
import type { Send } from '../messages/asker.ts'
import { toErrorMessage } from '../messages/error-message.ts'
import type { RequestEvent, ServerMessage, WorkerMessage } from '../messages/messages.ts'
import { ThreadRequest } from './thread-request.ts'

type ExecuteMessage = Extract<ServerMessage, { kind: 'execute' }>

/** A batch that the code of this thread runs. It is over when `execute` has returned and every request has ended. */
export class ThreadBatch implements ExecutionMarks {
  readonly #id: number
  readonly #send: Send<WorkerMessage>
  readonly #onRelease: () => void
  readonly #requests: readonly ThreadRequest[]
  /** Requests that have not ended, and `execute`. */
  #open: number

  /** @param onRelease called once, when nothing more comes of the batch. */
  constructor({ batch, data, requests }: ExecuteMessage, send: Send<WorkerMessage>, onRelease: () => void) {
    this.#id = batch
    this.#send = send
    this.#onRelease = onRelease
    this.#open = requests.length + 1
    this.#requests = requests.map(
      (message, request) =>
        new ThreadRequest(
          message,
          data,
          { batch, request },
          {
            tell: (event, transfer) => this.#tell(request, event, transfer),
            ended: () => this.#ended(),
          },
        ),
    )
  }

  async run(instance: BackendInstance): Promise<void> {
    try {
      const running = instance.execute(this.#requests, this)
      if (running !== undefined) await running
      this.#executed(undefined)
    } catch (error) {
      this.#executed(error)
    }
  }

  cancel(request: number): void {
    this.#requests[request]?.cancel()
  }

  taken(request: number): void {
    this.#requests[request]?.taken()
  }

  // The thread of the Server measures: what it takes to come here and go back is part of the computing.
  computeStart(): void {}
  computeEnd(): void {}
  reportRequest(): void {}
  reportBatch(): void {}
  reportResponse(): void {}

  #tell(request: number, event: RequestEvent, transfer: readonly ArrayBuffer[]): void {
    this.#send({ kind: 'event', batch: this.#id, request, event }, transfer)
  }

  /** The engine answers what is not answered and not kept. */
  #executed(error: unknown): void {
    this.#send({ kind: 'executed', batch: this.#id, error: error === undefined ? undefined : toErrorMessage(error) })
    for (const request of this.#requests) if (error !== undefined || !request.isKept) request.takeBack()
    this.#ended()
  }

  #ended(): void {
    if (--this.#open === 0) this.#onRelease()
  }
}
