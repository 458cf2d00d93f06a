import type { BackendInstance, InstanceContext } from '../backend/backend.ts'
import { TritonError } from '../errors.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { Clock } from '../util/clock.ts'
import type { BatchMember } from './batch-member.ts'
import { ExecutionBatch } from './execution-batch.ts'
import type { SendRule } from './send-rule.ts'

/** One execution slot: runs at most one batch at a time and sees to it that every request of it is answered. */
export class ModelInstance {
  readonly name: string
  readonly #backend: BackendInstance
  readonly #stats: InferenceStats
  readonly #clock: Clock

  constructor(slot: InstanceContext, backend: BackendInstance, stats: InferenceStats, clock: Clock) {
    this.name = slot.name
    this.#backend = backend
    this.#stats = stats
    this.#clock = clock
  }

  /** Runs a batch; `done` is called when the backend is through with it, at once if it works inline. */
  run(requests: readonly BatchMember[], rule: SendRule, done: () => void): void {
    const batch = new ExecutionBatch(requests, rule, this.name, this.#stats, this.#clock)
    const finish = (error?: unknown): void => {
      this.#answerRest(batch, error)
      done()
    }
    try {
      const running = this.#backend.execute(requests, batch)
      if (running === undefined) finish()
      else running.then(() => finish(), finish)
    } catch (error) {
      finish(error ?? new Error('backend threw nothing'))
    }
  }

  /** A backend that cannot even say is not ready. */
  async isReady(): Promise<boolean> {
    try {
      return (await this.#backend.isReady?.()) ?? true
    } catch {
      return false
    }
  }

  dispose(): Promise<void> {
    return this.#backend.dispose()
  }

  #answerRest(batch: ExecutionBatch, error: unknown): void {
    for (const request of batch.requests) {
      if (request.isReleased || (request.isKept && error === undefined)) continue
      const failure =
        error === undefined
          ? new TritonError('INTERNAL', `instance '${this.name}' returned without answering the request`)
          : TritonError.from(error)
      request.reject(failure, 'BACKEND')
    }
  }
}
