import type { Clock, Tensor, TritonError } from '@triton-ts/core'
import type { ComputeDurations, ExecutionMarks } from '@triton-ts/core/backend'
import { fromErrorMessage } from '../wire/error-message.ts'
import type { Executed } from '../wire/messages.ts'
import type { RunningRequest } from './running-request.ts'

const nanoseconds = 1e6

/** A batch was not begun and can be run elsewhere. */
export class NotBegun extends Error {}

/** A batch that the child runs, until its `execute` is over. */
export class RunningBatch {
  readonly requests: readonly RunningRequest[]
  /** Settles when `execute` is over, or fails with the child. */
  readonly executed: Promise<number>
  readonly #marks: ExecutionMarks
  readonly #clock: Clock
  readonly #begin: number
  /** Milliseconds that it lay in the child behind the batch before. */
  #waited = 0
  #sent: number
  #received: number
  #resolve!: (milliseconds: number) => void
  #reject!: (error: TritonError | NotBegun) => void

  constructor(requests: readonly RunningRequest[], marks: ExecutionMarks, clock: Clock) {
    this.requests = requests
    this.#marks = marks
    this.#clock = clock
    this.#begin = this.#sent = this.#received = clock.now()
    this.executed = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** The requests are on their way to the child. */
  markSent(): void {
    this.#sent = this.#clock.now()
  }

  /**
   * The answer has come, perhaps not yet its tensors.
   * @param before when that of the batch before came, on the clock.
   * @returns when this one did.
   */
  markReceived(before: number): number {
    this.#waited = Math.max(0, before - this.#sent)
    this.#received = this.#clock.now()
    return this.#received
  }

  /** @param tensors of the answers, by the place of the request. */
  finish({ r: answers, error, ns }: Executed, tensors: readonly (Record<string, Tensor> | undefined)[]): void {
    if (error !== undefined) {
      this.fail(fromErrorMessage(error))
      return
    }
    const durations = this.#durations(ns)
    let size = 0
    for (const [place, running] of this.requests.entries()) {
      const { request } = running
      size += Math.max(1, request.batchSize)
      this.#marks.reportRequest(request, durations, true)
      const answer = answers?.[place]
      if (answer !== null && answer !== undefined) running.answer(answer, tensors[place], true)
      else if (running.isRescheduled) running.giveBack()
      else if (running.isOpen) request.keep()
    }
    this.#marks.reportBatch(size, durations)
    this.#resolve(total(ns))
  }

  /** Nothing comes from the child any more, or `execute` threw. */
  fail(error: TritonError): void {
    for (const running of this.requests) {
      if (!running.isOpen) continue
      this.#marks.reportRequest(running.request, noTime, false)
      running.fail(error)
    }
    this.#reject(error)
  }

  /** The child has ended without having begun with it. */
  takeBack(): void {
    for (const running of this.requests) running.takeBack()
    this.#reject(new NotBegun('the process has ended'))
  }

  /** What the child did not measure itself, the way there and back, is part of the run. */
  #durations([unpack, , pack]: readonly number[] = []): ComputeDurations {
    const now = this.#clock.now()
    const computeInput = this.#sent - this.#begin + (unpack ?? 0) / nanoseconds
    const computeOutput = now - this.#received + (pack ?? 0) / nanoseconds
    const computeInfer = Math.max(0, now - this.#begin - this.#waited - computeInput - computeOutput)
    return { computeInput, computeInfer, computeOutput }
  }
}

/** Milliseconds that the child was at it. */
const total = ([unpack = 0, infer = 0, pack = 0]: readonly number[] = []): number =>
  (unpack + infer + pack) / nanoseconds

const noTime = { computeInput: 0, computeInfer: 0, computeOutput: 0 }
