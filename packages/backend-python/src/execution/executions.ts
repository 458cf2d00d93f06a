import { type Clock, type Logger, type Tensor, TritonError } from '@triton-ts/core'
import type { ExecutionMarks, ExecutionRequest } from '@triton-ts/core/backend'
import { readTensors } from '../memory/tensor-reader.ts'
import type { Link } from '../process/link.ts'
import type { AnswerMessage, Executed, SentResponse } from '../wire/messages.ts'
import { CancelWatch } from './cancel-watch.ts'
import { ExecuteFrame } from './execute-frame.ts'
import { RunningBatch } from './running-batch.ts'
import { RunningRequest } from './running-request.ts'

/** What executions need of the process. */
export interface ExecutionOwner {
  readonly link: Link
  readonly clock: Clock
  readonly logger: Logger
  /** Something is waited for, until `letGo`. */
  hold(): void
  letGo(): void
  /** The Server is gone. */
  abandoned(): void
}

/** The batches that a process runs, and the requests that it has. */
export class Executions {
  readonly #owner: ExecutionOwner
  readonly #requests = new Map<number, RunningRequest>()
  readonly #batches = new Map<number, RunningBatch>()
  readonly #cancelWatch = new CancelWatch(this.#requests)
  #lastBatch = 0
  #lastSlot = 0
  /** When the answer to the batch before came, on the clock. */
  #lastReceived = 0

  constructor(owner: ExecutionOwner) {
    this.#owner = owner
  }

  /** Whether a batch runs. */
  get isBusy(): boolean {
    return this.#batches.size > 0
  }

  /** How many requests are not answered. */
  get inFlight(): number {
    return this.#requests.size
  }

  /** Whether it has a request that is served by `request`, directly or not. */
  servedBy(request: ExecutionRequest): boolean {
    for (let served = request.parent; served !== undefined; served = served.parent) {
      for (const running of this.#requests.values()) if (running.request === served) return true
    }
    return false
  }

  request(slot: number): RunningRequest | undefined {
    return this.#requests.get(slot)
  }

  /** What a batch runs as long as its `execute` does. */
  batch(id: number): readonly RunningRequest[] {
    return this.#batches.get(id)?.requests ?? []
  }

  /**
   * Runs a batch; the process runs one after the other. What it returns is settled with as few turns as can be: the next
   * batch is then on its way before the answers of this one are.
   * @returns the milliseconds that the run took there. Rejects when the model throws, or when the process ends; with
   * `NotBegun` and without a word to the requests when it ended before.
   */
  execute(requests: readonly ExecutionRequest[], marks: ExecutionMarks, isDecoupled: boolean): Promise<number> {
    const { link, clock } = this.#owner
    const id = ++this.#lastBatch
    const running = requests.map((request) => this.#admit(request, isDecoupled))
    const batch = new RunningBatch(running, marks, clock)
    this.#batches.set(id, batch)
    this.#cancelWatch.wake()
    const failed = (error: unknown): void => {
      this.#batches.delete(id)
      batch.fail(TritonError.from(error))
    }
    try {
      const frame = new ExecuteFrame(id, running, isDecoupled, link.requests)
      const send = (): void => {
        link.write(frame.encode(link.freed()), this.#batches.size > 1)
        batch.markSent()
      }
      const { written } = frame
      if (written === undefined) send()
      else written.then(send).catch(failed)
    } catch (error) {
      failed(error)
    }
    return batch.executed
  }

  executed(message: Executed, blobs: Buffer): Promise<void> | undefined {
    const batch = this.#batches.get(message.b)
    if (batch === undefined) throw new RangeError(`batch ${message.b} does not run`)
    this.#lastReceived = batch.markReceived(this.#lastReceived)
    const read = (message.r ?? []).map((answer) => this.#tensors(answer, blobs))
    const finish = (tensors: readonly (Record<string, Tensor> | undefined)[]): void => {
      this.#batches.delete(message.b)
      batch.finish(message, tensors)
    }
    if (read.some((tensors) => tensors instanceof Promise)) return Promise.all(read).then(finish)
    finish(read as (Record<string, Tensor> | undefined)[])
    return undefined
  }

  sent(message: SentResponse, blobs: Buffer): Promise<void> | undefined {
    const answer = (tensors: Record<string, Tensor> | undefined): void => {
      const running = this.#requests.get(message.s)
      if (running !== undefined) running.answer(message, tensors, message.final)
      // The model may go on for a request that is over, and must not wait for ever.
      else if (!message.final) this.#owner.link.send(`{"k":"credit","s":${message.s},"n":1}`)
    }
    const tensors = this.#tensors(message, blobs)
    if (tensors instanceof Promise) return tensors.then(answer)
    answer(tensors)
    return undefined
  }

  /** The process is gone. It ran its batches in their order and had told of each, so it had begun with the first at most. */
  end(error: TritonError): void {
    this.#cancelWatch.stop()
    const [begun, ...others] = this.#batches.values()
    this.#batches.clear()
    begun?.fail(error)
    for (const batch of others) batch.takeBack()
    for (const running of [...this.#requests.values()]) running.fail(error)
  }

  #tensors(
    answer: AnswerMessage | null,
    blobs: Buffer,
  ): Record<string, Tensor> | Promise<Record<string, Tensor>> | undefined {
    return answer?.out && readTensors(answer.out, blobs, this.#owner.link.responses)
  }

  #admit(request: ExecutionRequest, isDecoupled: boolean): RunningRequest {
    const slot = ++this.#lastSlot
    const running = new RunningRequest(slot, request, isDecoupled, {
      logger: this.#owner.logger,
      send: this.#send,
      closed: this.#closed,
      abandoned: this.#owner.abandoned,
    })
    this.#requests.set(slot, running)
    this.#owner.hold()
    return running
  }

  readonly #send = (header: string): void => this.#owner.link.send(header)

  readonly #closed = (slot: number): void => {
    this.#requests.delete(slot)
    this.#owner.letGo()
  }
}
