import type { SequenceBatching } from '../../config/model-config.ts'
import { TritonError } from '../../errors.ts'
import type { ModelInstance } from '../../instance/model-instance.ts'
import type { InferenceStats } from '../../metrics/inference-stats.ts'
import type { InferenceRequest } from '../../request/inference-request.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import type { Scheduler } from '../scheduler.ts'
import { LiveSequences } from './live-sequences.ts'
import type { Sequence } from './sequence.ts'
import { SequenceAdmission } from './sequence-admission.ts'
import { SequenceBacklog } from './sequence-backlog.ts'
import { type CreateBatcher, SequencePlaces } from './sequence-places.ts'
import { SequenceStep } from './sequence-step.ts'

export interface SequenceSchedulerParts {
  readonly modelName: string
  readonly batching: SequenceBatching
  readonly instances: readonly ModelInstance[]
  readonly createBatcher: CreateBatcher
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Triton's sequence batcher. A sequence gets a slot with its first request and keeps it to its end, so all its requests
 * run on one instance and in order; while no slot is free the whole sequence waits in the backlog. What the requests of
 * a slot run with, and when, the batcher of its instance decides.
 */
export class SequenceScheduler implements Scheduler {
  readonly #isIterative: boolean
  readonly #stats: InferenceStats
  readonly #clock: Clock
  readonly #admission: SequenceAdmission
  readonly #live: LiveSequences
  readonly #backlog: SequenceBacklog
  readonly #places: SequencePlaces

  constructor({ modelName, batching, instances, createBatcher, stats, clock, logger }: SequenceSchedulerParts) {
    this.#isIterative = batching.iterativeSequence
    this.#stats = stats
    this.#clock = clock
    this.#live = new LiveSequences(batching.maxSequenceIdleMicroseconds / 1000, clock, (sequence) =>
      this.#endIdle(sequence),
    )
    this.#admission = new SequenceAdmission(modelName, batching.iterativeSequence, this.#live, logger)
    this.#backlog = new SequenceBacklog(clock, (sequence) => this.#expire(sequence))
    this.#places = new SequencePlaces(createBatcher, this.#backlog, (sequence) => this.#live.touch(sequence))
    for (const instance of instances) this.addInstance(instance)
  }

  enqueue(request: InferenceRequest): void {
    const sequence = this.#admission.admit(request)
    if (!sequence.hasPlace) this.#places.place(sequence)
    sequence.add(request)
    this.#stats.pending++
    if (request.sequenceEnd) this.#live.close(sequence)
    else this.#live.touch(sequence)
    if (sequence.slot === undefined) this.#backlog.limit(sequence, request.timeoutMicroseconds)
    this.#places.advance(sequence)
  }

  /** A request that is cancelled before it runs ends its sequence: what waits behind it is cancelled as well. */
  withdraw(request: InferenceRequest): boolean {
    const step = request.sequenceStep
    if (!(step instanceof SequenceStep)) return false
    const { sequence } = step
    const isTaken = step.list === undefined
    if (isTaken && !this.#takeBack(step)) return false
    const rest = this.#cut(sequence, isTaken || sequence.slot === undefined ? undefined : step)
    this.#end(sequence)
    for (const other of rest) if (other !== request) other.reject(sequenceCancelled(), 'CANCELED')
    return true
  }

  reschedule(request: InferenceRequest): void {
    const step = request.sequenceStep as SequenceStep
    const { sequence } = step
    // In Triton too, a run that takes longer than a sequence may be idle is the last one.
    if (sequence.wasIdle) throw this.#admission.startMissing(sequence.id)
    this.#stopRunning(step)
    step.isRepeated = true
    request.queuedAt = this.#clock.now()
    sequence.waiting.push(step)
    this.#stats.pending++
    this.#live.touch(sequence)
    this.#places.advance(sequence)
  }

  released({ sequenceStep: step }: InferenceRequest): void {
    if (!(step instanceof SequenceStep) || !step.isRunning) return
    this.#stopRunning(step)
    if (this.#isIterative) this.#live.close(step.sequence)
    this.#places.advance(step.sequence)
  }

  /** Sequences that have begun go on. */
  stopAccepting(): void {
    this.#admission.close()
  }

  drained(): Promise<void> {
    return this.#live.ended()
  }

  get hasSequences(): boolean {
    return !this.#live.isEmpty
  }

  hasSequence(id: bigint | string): boolean {
    return this.#live.find(id) !== undefined
  }

  endSequences(): void {
    for (const sequence of [...this.#live]) this.#end(sequence)
  }

  rejectWaiting(reject: (request: InferenceRequest) => void): void {
    const { sequences, batchers } = this.#places
    const waiting = sequences.flatMap((sequence) => this.#cut(sequence))
    for (const batcher of batchers) batcher.rejectWaiting(reject)
    for (const sequence of sequences) this.#end(sequence)
    for (const request of waiting) reject(request)
  }

  addInstance(instance: ModelInstance): void {
    this.#places.addInstance(instance)
  }

  removeInstance(instance: ModelInstance): Promise<void> {
    return this.#places.removeInstance(instance)
  }

  /** Takes a request back from a batcher that has it but does not run it yet. */
  #takeBack(step: SequenceStep): boolean {
    if (!step.isRunning || !step.sequence.slot?.batcher.withdraw(step.request)) return false
    this.#stopRunning(step)
    return true
  }

  #stopRunning(step: SequenceStep): void {
    step.isRunning = false
    step.sequence.running--
  }

  /** Takes out what waits from `first` on; all of it without. */
  #cut(sequence: Sequence, first?: SequenceStep): InferenceRequest[] {
    const steps = sequence.cut(first)
    this.#stats.pending -= steps.length
    return steps.map(({ request }) => request)
  }

  /** No more requests come for the sequence; those that are there still run. */
  #end(sequence: Sequence): void {
    this.#live.close(sequence)
    this.#places.advance(sequence)
  }

  #endIdle(sequence: Sequence): void {
    sequence.wasIdle = true
    this.#end(sequence)
  }

  #expire(sequence: Sequence): void {
    this.#live.close(sequence)
    for (const request of this.#cut(sequence)) {
      request.reject(
        new TritonError('UNAVAILABLE', 'timeout of the corresponding sequence has been expired'),
        'REJECTED',
      )
    }
  }
}

const sequenceCancelled = (): TritonError =>
  new TritonError('CANCELLED', 'the request was cancelled with another one of its sequence')
