import type { ResponseContent } from '../backend/backend.ts'
import { TritonError } from '../errors.ts'
import type { FailureReason, InferenceStats } from '../metrics/inference-stats.ts'
import { ResponseMeter } from '../metrics/response-meter.ts'
import { expectDecoupled, type ModelSignature } from '../request/model-signature.ts'
import type { ValidatedRequest } from '../request/validate-request.ts'
import { shapeResponse } from '../response/shape-response.ts'
import type { Clock } from '../util/clock.ts'
import type { BatchMember } from './batch-member.ts'
import { CallerlessRequest } from './callerless-request.ts'
import type { ExecutionBatch } from './execution-batch.ts'

/** What a warm-up request belongs to. */
export interface WarmUpOwner {
  readonly signature: ModelSignature
  readonly stats: InferenceStats
  readonly clock: Clock
  /** Aborted when the load is given up; backends see the request cancelled then. */
  readonly signal: AbortSignal
}

/** A request that warms an instance up: its answers are counted as any, and dropped. */
export class WarmUpRequest extends CallerlessRequest implements BatchMember {
  readonly isFiller = false
  isCounted = false
  readonly requestedOutputs: readonly string[]
  /** Settles when the backend is done with the request: with its error, if it has one. */
  readonly done: Promise<TritonError | undefined>
  readonly #owner: WarmUpOwner
  #meter: ResponseMeter | undefined
  #batch: ExecutionBatch | undefined
  #signal: AbortSignal | undefined
  #kept = false
  #isOver = false
  #finish!: (error?: TritonError) => void

  constructor(owner: WarmUpOwner, { inputs, batchSize, requestedOutputs }: ValidatedRequest) {
    super(inputs, batchSize, owner.clock.now())
    this.requestedOutputs = requestedOutputs
    this.#owner = owner
    this.done = new Promise((resolve) => {
      this.#finish = resolve
    })
  }

  get isCancelled(): boolean {
    return this.#owner.signal.aborted
  }

  /** Its own, since a backend may listen to every one, and the load's may live long. */
  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#owner.signal])
    return this.#signal
  }

  get isKept(): boolean {
    return this.#kept
  }

  isRunningIn(): boolean {
    return !this.#isOver
  }

  begin(batch: ExecutionBatch): void {
    this.#batch = batch
    const { signature, stats, clock } = this.#owner
    if (!signature.decoupled || batch.isReported) return
    this.#meter = new ResponseMeter(stats.responses, clock)
    this.#meter.begin()
  }

  respond({ outputs }: ResponseContent, { final = true }: { readonly final?: boolean } = {}): void {
    this.#expectRunning()
    if (!final) expectDecoupled(this.#owner.signature)
    const outputStart = this.#owner.clock.now()
    shapeResponse(this.#owner.signature, outputs)
    this.#meter?.sent(outputStart)
    if (final) this.#succeed()
  }

  end(): void {
    this.#expectRunning()
    expectDecoupled(this.#owner.signature)
    this.#meter?.ended()
    this.#succeed()
  }

  fail(error: TritonError, { final = true }: { readonly final?: boolean } = {}): void {
    this.#expectRunning()
    if (!final && this.#owner.signature.decoupled) this.#meter?.responseFailed()
    else if (this.#batch?.isReported) this.#finishWith(TritonError.from(error))
    else this.reject(TritonError.from(error), 'BACKEND')
  }

  keep(): void {
    this.#kept = true
  }

  /** There is no sequence that would go on with the state. */
  updateState(): void {}

  /** As with a state: a single run is all that is wanted. */
  reschedule(): void {
    this.#expectRunning()
    this.#succeed()
  }

  reject(error: TritonError, reason: FailureReason): void {
    if (!this.isCounted) this.#owner.stats.recordFailure(reason, this.#owner.clock.now() - this.startTime)
    this.isCounted = true
    this.#meter?.failed()
    this.#finishWith(error)
  }

  #finishWith(error: TritonError): void {
    this.#isOver = true
    this.#finish(error)
  }

  #expectRunning(): void {
    if (this.#isOver)
      throw new TritonError('INTERNAL', 'backend answered a warm-up request that it had answered before')
  }

  #succeed(): void {
    this.#isOver = true
    this.#batch?.recordSuccess(this)
    this.#finish()
  }
}
