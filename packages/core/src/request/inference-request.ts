import type { ResponseContent } from '../backend/backend.ts'
import { TritonError } from '../errors.ts'
import type { BatchMember } from '../instance/batch-member.ts'
import type { ExecutionBatch } from '../instance/execution-batch.ts'
import type { FailureReason, InferenceStats } from '../metrics/inference-stats.ts'
import type { ResponseListener } from '../response/response-listener.ts'
import { shapeResponse } from '../response/shape-response.ts'
import type { AbortFollowers } from '../util/abort-followers.ts'
import type { Clock } from '../util/clock.ts'
import type { Linked, LinkedList } from '../util/linked-list.ts'
import type { InferRequest, ParameterValue } from './infer-request.ts'
import type { ModelSignature } from './model-signature.ts'
import type { Tensor } from './tensor.ts'
import type { ValidatedRequest } from './validate-request.ts'

/** The model version that a request belongs to, as far as the request needs it. */
export interface RequestOwner {
  readonly version: number
  readonly signature: ModelSignature
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly signals: AbortFollowers
  /** Takes a cancelled request out of the queue; false when an instance has it already. */
  withdraw(request: InferenceRequest): boolean
  /** The engine and the backend are done with the request. */
  release(request: InferenceRequest): void
}

const noParameters: Readonly<Record<string, ParameterValue>> = {}

/**
 * A request on its way through the engine: PENDING in a queue, EXECUTING in a backend, RELEASED. The caller hears its
 * end exactly once; when the caller cancels, it hears CANCELLED at once and whatever the backend still answers is
 * dropped, but the request stays in flight until the backend is done with it.
 */
export class InferenceRequest implements BatchMember, Linked<InferenceRequest> {
  readonly id: string
  readonly correlationId: bigint | string
  readonly sequenceStart: boolean
  readonly sequenceEnd: boolean
  readonly priority: number
  readonly timeoutMicroseconds: number
  readonly parameters: Readonly<Record<string, ParameterValue>>
  readonly inputs: ReadonlyMap<string, Tensor>
  readonly batchSize: number
  readonly requestedOutputs: readonly string[]
  /** When the engine took it, on the clock. */
  readonly startTime: number
  // Its place among the requests in flight, which their list writes.
  list: LinkedList<InferenceRequest> | undefined
  previous: InferenceRequest | undefined
  next: InferenceRequest | undefined
  /** Its place in a queue, which only the queue reads and writes. */
  queuePlace: object | undefined
  readonly #owner: RequestOwner
  #listener: ResponseListener
  #state: 'PENDING' | 'EXECUTING' | 'RELEASED' = 'PENDING'
  #batch: ExecutionBatch | undefined
  #kept = false
  #cancelled = false
  #intercepted = false
  #settled = false
  #abort: AbortController | undefined
  readonly #unfollow: (() => void) | undefined

  constructor(owner: RequestOwner, request: InferRequest, valid: ValidatedRequest, listener: ResponseListener) {
    this.id = request.id ?? ''
    this.correlationId = checkCorrelationId(request.correlationId)
    this.sequenceStart = request.sequenceStart ?? false
    this.sequenceEnd = request.sequenceEnd ?? false
    this.priority = priorityLevel(owner.signature, request.priority)
    this.timeoutMicroseconds = request.timeoutMicroseconds ?? 0
    this.parameters = request.parameters ?? noParameters
    this.inputs = valid.inputs
    this.batchSize = valid.batchSize
    this.requestedOutputs = valid.requestedOutputs
    this.startTime = owner.clock.now()
    this.#owner = owner
    this.#listener = listener
    this.#unfollow = request.signal && owner.signals.follow(request.signal, (reason) => this.cancel(reason))
  }

  get isCancelled(): boolean {
    return this.#cancelled
  }

  get isReleased(): boolean {
    return this.#state === 'RELEASED'
  }

  /** Whether an instance took it. */
  get hasRun(): boolean {
    return this.#batch !== undefined
  }

  get isKept(): boolean {
    return this.#kept
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.#cancelled) this.#abort.abort()
    }
    return this.#abort.signal
  }

  /** Lets another listener hear what happens, which passes it on to the one before, and then calls `settle`. */
  interceptResponses(intercept: (listener: ResponseListener) => ResponseListener): void {
    this.#intercepted = true
    this.#listener = intercept(this.#listener)
  }

  /** The caller has heard the end: there is nothing left to cancel. */
  settle(): void {
    this.#settled = true
    this.#unfollow?.()
  }

  /** The scheduler did not take the request: nobody hears of it, nothing is counted. */
  discard(): void {
    this.#release()
  }

  /** An instance takes the request. */
  begin(batch: ExecutionBatch): void {
    this.#state = 'EXECUTING'
    this.#batch = batch
  }

  respond(content: ResponseContent, { final = true }: { readonly final?: boolean } = {}): void {
    this.#expectExecuting()
    const { signature, version } = this.#owner
    if (!final && !signature.decoupled) {
      throw new TritonError(
        'INVALID_ARG',
        `model '${signature.modelName}' is not decoupled and must send one final response`,
      )
    }
    const response = {
      modelName: signature.modelName,
      modelVersion: version,
      id: this.id,
      parameters: content.parameters ?? noParameters,
      outputs: shapeResponse(signature, content.outputs),
    }
    if (final) this.#succeed()
    if (!this.#cancelled) this.#listener.onResponse(response, final)
  }

  end(): void {
    this.#expectExecuting()
    this.#succeed()
    if (!this.#cancelled) this.#listener.onEnd()
  }

  fail(error: TritonError): void {
    this.#expectExecuting()
    this.reject(TritonError.from(error), 'BACKEND')
  }

  keep(): void {
    this.#kept = true
  }

  /** Ends the request with an error at whatever stage it is. */
  reject(error: TritonError, reason: FailureReason): void {
    if (!this.#cancelled) {
      this.#owner.stats.recordFailure(reason, this.#owner.clock.now() - this.startTime)
      this.#release()
      this.#listener.onError(error)
    } else this.#release()
  }

  /** The caller gives up: it hears CANCELLED now; the backend is told if it has the request. */
  cancel(cause?: unknown): void {
    this.abandon(new TritonError('CANCELLED', 'the request was cancelled', { cause }), 'CANCELED')
  }

  /** Answers the caller with `error` without waiting for the backend, nor for the turn of an answer that is there. */
  abandon(error: TritonError, reason: FailureReason): void {
    if (this.#settled) return
    this.#cancelled = true
    this.settle()
    if (this.#state !== 'RELEASED') {
      this.#owner.stats.recordFailure(reason, this.#owner.clock.now() - this.startTime)
    }
    if (this.#state === 'PENDING' && this.#owner.withdraw(this)) this.#release()
    this.#abort?.abort(error)
    this.#listener.onError(error)
  }

  #expectExecuting(): void {
    if (this.#state === 'EXECUTING') return
    throw new TritonError('INTERNAL', `backend answered request '${this.id}' while it is ${this.#state}`)
  }

  #succeed(): void {
    if (!this.#cancelled) this.#batch?.recordSuccess(this)
    this.#release()
  }

  #release(): void {
    this.#state = 'RELEASED'
    if (!this.#intercepted) this.settle()
    this.#owner.release(this)
  }
}

const largestCorrelationId = 2n ** 64n - 1n

/** A number is taken as Triton's 64 bits without sign. */
function checkCorrelationId(id: InferRequest['correlationId'] = 0n): bigint | string {
  if (typeof id === 'string') return id
  const number = typeof id === 'bigint' || Number.isSafeInteger(id) ? BigInt(id) : -1n
  if (number >= 0n && number <= largestCorrelationId) return number
  throw new TritonError('INVALID_ARG', `correlation id ${id} is not a string or an integer from 0 to 2^64 - 1`)
}

/** Triton takes a priority that the model does not have as the default. */
function priorityLevel({ priorityLevels, defaultPriority }: ModelSignature, priority = 0): number {
  return Number.isInteger(priority) && priority >= 1 && priority <= priorityLevels ? priority : defaultPriority
}
