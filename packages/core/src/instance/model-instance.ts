import type { BackendInstance, InstanceContext } from '../backend/backend.ts'
import { reportBatch } from '../diagnostics/batch-report.ts'
import { TritonError } from '../errors.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { Clock } from '../util/clock.ts'
import type { BatchMember } from './batch-member.ts'
import type { Contender } from './contender.ts'
import { type BatchRunner, ExecutionBatch } from './execution-batch.ts'
import type { SendRule } from './send-rule.ts'

/** One execution slot: runs at most one batch at a time and sees to it that every request of it is answered. */
export class ModelInstance implements BatchRunner {
  readonly name: string
  readonly slot: InstanceContext
  /** Its part in the rate limiter, if there is one. */
  readonly contender: Contender | undefined
  readonly reportsStatistics: boolean
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly #backend: BackendInstance
  #running: ExecutionBatch | undefined
  /** Milliseconds of the runs that are over. */
  #busyTime = 0

  /** @param contender disposed with the instance. */
  constructor(
    slot: InstanceContext,
    backend: BackendInstance,
    stats: InferenceStats,
    clock: Clock,
    contender?: Contender,
  ) {
    this.name = slot.name
    this.slot = slot
    this.contender = contender
    this.reportsStatistics = backend.reportsStatistics ?? false
    this.stats = stats
    this.clock = clock
    this.#backend = backend
  }

  /** Whether it takes no requests, as its group says. */
  get isPassive(): boolean {
    return this.slot.group.passive
  }

  /** The requests of the batch that it runs. */
  get running(): readonly BatchMember[] | undefined {
    return this.#running?.requests
  }

  /** Milliseconds that it ran something so far. @param now on the clock. */
  busyTime(now: number): number {
    return this.#busyTime + (this.#running === undefined ? 0 : now - this.#running.executionStart)
  }

  /** Runs a batch; `done` is called when the backend is through with it, at once if it works inline. */
  run(requests: readonly BatchMember[], rule: SendRule, done: () => void): void {
    const batch = new ExecutionBatch(requests, rule, this)
    this.#running = batch
    const reportEnd = reportBatch(batch, this)
    let isInline = true
    const finish = (error?: unknown): void => {
      this.#answerRest(batch, error)
      batch.finish()
      reportEnd?.()
      // What works inline is through with its last answer; to look at the clock again would be a good part of its run.
      this.#busyTime += isInline ? batch.duration : this.clock.now() - batch.executionStart
      this.#running = undefined
      done()
    }
    let failure: unknown
    try {
      const running = this.#backend.execute(requests, batch)
      if (running !== undefined) {
        isInline = false
        running.then(
          () => finish(),
          (error: unknown) => finish(orNothing(error)),
        )
        return
      }
    } catch (error) {
      failure = orNothing(error)
    }
    finish(failure)
  }

  /** A backend that cannot even say is not ready. */
  async isReady(): Promise<boolean> {
    try {
      return (await this.#backend.isReady?.()) ?? true
    } catch {
      return false
    }
  }

  /** Does what is not a scheduler's run as soon as the rate limiter lets it, with the instance's resources. */
  async inTurn(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    await this.contender?.turn(signal)
    try {
      await work()
    } finally {
      this.contender?.finish()
    }
  }

  async dispose(): Promise<void> {
    this.contender?.dispose()
    await this.#backend.dispose()
  }

  #answerRest(batch: ExecutionBatch, error: unknown): void {
    for (const request of batch.requests) {
      if (!request.isRunningIn(batch) || (request.isKept && error === undefined)) continue
      const failure =
        error === undefined
          ? new TritonError('INTERNAL', `instance '${this.name}' returned without answering the request`)
          : TritonError.from(error)
      request.reject(failure, 'BACKEND')
    }
  }
}

/** Something to answer with, whatever a backend threw. */
const orNothing = (error: unknown): unknown => error ?? new Error('backend threw nothing')
