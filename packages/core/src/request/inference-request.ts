import type { ResponseContent } from '../backend/backend.ts'
import type { ComputeDurations } from '../backend/execution-marks.ts'
import type { RequestMessage } from '../diagnostics/messages.ts'
import { TritonError } from '../errors.ts'
import type { BatchMember } from '../instance/batch-member.ts'
import type { Execution } from '../instance/execution.ts'
import type { FailureReason } from '../metrics/inference-stats.ts'
import { type ExplainedSplit, Explanation } from '../response/explanation.ts'
import type { InferenceResponse, Outputs } from '../response/inference-response.ts'
import type { ResponseListener } from '../response/response-listener.ts'
import { shapeResponse } from '../response/shape-response.ts'
import type { InferenceTrace } from '../trace/inference-trace.ts'
import type { Linked, LinkedList } from '../util/linked-list.ts'
import type { RoutedRequest } from './infer-request.ts'
import { expectDecoupled } from './model-signature.ts'
import { type NestedLink, NestedRequests } from './nested-requests.ts'
import { noParameters, RequestContent } from './request-content.ts'
import type { RequestOwner } from './request-owner.ts'
import type { RequestPlace } from './request-place.ts'
import { RequestTelemetry } from './request-telemetry.ts'
import type { Tensor } from './tensor.ts'
import type { ValidatedRequest } from './validate-request.ts'

/**
 * A request on its way through the engine: PENDING in a queue, EXECUTING in a backend, RELEASED. The caller hears its
 * end exactly once; when the caller cancels, it hears CANCELLED at once and whatever the backend still answers is
 * dropped, but the request stays in flight until the backend is done with it.
 */
export class InferenceRequest extends RequestContent implements BatchMember, Linked<InferenceRequest> {
  // Its place among the requests in flight, which their list writes.
  list: LinkedList<InferenceRequest> | undefined
  previous: InferenceRequest | undefined
  next: InferenceRequest | undefined
  /** The request of another model that it serves. */
  readonly parent: InferenceRequest | undefined
  /** How many requests deep it is nested. */
  readonly depth: number
  readonly split: ExplainedSplit | undefined
  /** Its place in a queue, which only the queue reads and writes. */
  queuePlace: object | undefined
  /** When it came to the queue that it waits in, on the clock. */
  queuedAt: number
  isCounted = false
  /** Its place in a sequence, which only the sequence scheduler reads and writes. */
  sequenceStep: object | undefined
  readonly #owner: RequestOwner
  readonly #telemetry: RequestTelemetry
  #startTime: number
  #listener: ResponseListener
  #state: 'PENDING' | 'EXECUTING' | 'RELEASED' = 'PENDING'
  #batch: Execution | undefined
  #kept = false
  #cancelled = false
  #intercepted = false
  #hearAnswer: ((outputs: Outputs) => void) | undefined
  #settled = false
  #abort: AbortController | undefined
  readonly #explain: boolean
  readonly #unfollow: (() => void) | undefined
  #nested: NestedRequests | undefined
  readonly #ownLink: NestedLink | undefined

  /**
   * @param parent the request of another model that sends this one, and with which it is cancelled.
   * @param servesBatch it serves all that run with `parent`, and is cancelled with the last of them.
   */
  constructor(
    owner: RequestOwner,
    request: RoutedRequest,
    valid: ValidatedRequest,
    listener: ResponseListener,
    parent?: InferenceRequest,
    servesBatch = false,
  ) {
    super(owner.signature, request, valid)
    this.parent = parent
    this.depth = parent === undefined ? 0 : parent.depth + 1
    this.#explain = request.explain ?? false
    this.split = request.split
    this.#startTime = owner.clock.now()
    this.queuedAt = this.#startTime
    this.#owner = owner
    this.#listener = listener
    this.#unfollow = request.signal && owner.signals.follow(request.signal, (reason) => this.cancel(reason))
    this.#ownLink = parent === undefined ? undefined : parent.#adopt(this, servesBatch)
    // What serves a whole batch belongs to no one trace.
    const nested = servesBatch ? undefined : parent?.trace?.spawn()
    this.#telemetry = new RequestTelemetry(this, owner, parent === undefined ? (request.trace ?? undefined) : nested)
  }

  get trace(): InferenceTrace | undefined {
    return this.#telemetry.trace
  }

  get message(): RequestMessage | undefined {
    return this.#telemetry.message
  }

  /**
   * The engine has it, and monitoring tools hear of it, which may make its caller give it up. False when that has: then
   * it is over.
   */
  arrive(): boolean {
    this.#telemetry.arrived()
    if (!this.#cancelled) return true
    if (this.#state === 'PENDING') this.#release()
    return false
  }

  get isCancelled(): boolean {
    return this.#cancelled
  }

  /** When the engine took it, or took it back, on the clock. */
  get startTime(): number {
    return this.#startTime
  }

  /** What is left of its `timeoutMicroseconds`, at least 1; undefined when it has none. */
  get remainingMicroseconds(): number | undefined {
    if (this.timeoutMicroseconds === 0) return undefined
    const elapsed = Math.round((this.#owner.clock.now() - this.#startTime) * 1000)
    return Math.max(1, this.timeoutMicroseconds - elapsed)
  }

  /** Whether it waits for an instance. */
  get isPending(): boolean {
    return this.#state === 'PENDING'
  }

  /** The requests that run with it; undefined when it does not run, or only its answer is still to come. */
  get runsWith(): readonly BatchMember[] | undefined {
    return this.#state === 'EXECUTING' ? this.#batch?.requests : undefined
  }

  /** What it runs on. */
  get place(): RequestPlace {
    return this.#owner
  }

  /** Requests that serve it and have no final answer yet. */
  get nested(): Iterable<InferenceRequest> {
    return this.#nested?.requests ?? []
  }

  isRunningIn(batch: Execution): boolean {
    return this.#batch === batch && this.#state === 'EXECUTING'
  }

  /** Whether an instance took it. */
  get hasRun(): boolean {
    return this.#batch !== undefined
  }

  get isFiller(): boolean {
    return false
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
    if (!this.#settled) this.#telemetry.settled()
    this.#settled = true
    this.#unfollow?.()
    this.#ownLink?.leave()
  }

  /** Tells `hear` what the backend answers before the caller hears it, also when the caller has given up. */
  onAnswer(hear: (outputs: Outputs) => void): void {
    this.#hearAnswer = hear
  }

  /** The scheduler did not take the request, or gave it back: its caller hears nothing here, nothing is counted. */
  discard(error: unknown): void {
    this.#telemetry.failedWith(TritonError.from(error))
    this.#release()
    this.#listener.onDiscard?.()
  }

  /** The same when the caller waits already: it hears why, nothing is counted. */
  refuse(error: TritonError): void {
    this.#telemetry.failedWith(error)
    this.#release()
    this.#listener.onError(error)
  }

  /** Answers without a run. The times are those of the lookup, on the clock. */
  respondFromCache(outputs: Outputs, lookupStart: number, lookupEnd: number): void {
    const { stats, clock } = this.#owner
    stats.recordCacheHit({ start: this.#startTime, lookupStart, lookupEnd, end: clock.now() })
    this.#telemetry.delivered()
    this.#telemetry.responded(outputs)
    this.#release()
    const response = this.#responseWith(outputs, noParameters)
    const explanation = this.#explain ? Explanation.ofCacheHit(lookupStart - this.#startTime, this.split) : undefined
    this.#listener.onResponse(explanation === undefined ? response : { ...response, explanation }, true)
  }

  /** Whether each response is to tell why the request ran when it did. */
  get isExplained(): boolean {
    return this.#explain
  }

  /** An instance takes the request, or an ensemble begins with its steps. */
  begin(batch: Execution): void {
    this.#state = 'EXECUTING'
    this.#batch = batch
    this.#telemetry.running(batch)
  }

  respond(content: ResponseContent, { final = true }: { readonly final?: boolean } = {}): void {
    this.#expectExecuting()
    const { signature } = this.#owner
    const outputStart = this.#telemetry.outputStart()
    if (!final) expectDecoupled(signature)
    const response = this.#responseWith(shapeResponse(signature, content.outputs), content.parameters ?? noParameters)
    const told = this.#explain ? { ...response, explanation: this.#batch?.explain(this) } : response
    if (!this.#cancelled) this.#telemetry.sent(outputStart)
    if (final) {
      this.#succeed(response.outputs)
      this.#hearAnswer?.(response.outputs)
    } else if (!this.#cancelled) this.#telemetry.responded(response.outputs)
    if (this.#cancelled) return
    this.#telemetry.delivered()
    this.#listener.onResponse(told, final)
  }

  end(): void {
    this.#expectExecuting()
    expectDecoupled(this.#owner.signature)
    if (!this.#cancelled) this.#telemetry.ended()
    this.#succeed()
    if (!this.#cancelled) this.#listener.onEnd()
  }

  fail(error: TritonError, { final = true }: { readonly final?: boolean } = {}): void {
    this.#expectExecuting()
    if (!final && this.#owner.signature.decoupled) {
      this.#failResponse(TritonError.from(error))
      return
    }
    // A backend that reports says itself that the request failed.
    if (this.#batch?.isReported) this.#endWith(TritonError.from(error))
    else this.reject(TritonError.from(error), 'BACKEND')
  }

  /** One response failed; the request goes on. */
  #failResponse(error: TritonError): void {
    if (this.#cancelled) return
    this.#telemetry.responseFailed()
    this.#listener.onResponse({ ...this.#responseWith({}, noParameters), error }, false)
  }

  #responseWith(outputs: Outputs, parameters: InferenceResponse['parameters']): InferenceResponse {
    const { modelName, id } = this
    return { modelName, modelVersion: this.#owner.version, id, parameters, outputs }
  }

  keep(): void {
    this.#kept = true
  }

  room(): Promise<void> | undefined {
    return this.#settled ? undefined : this.#listener.room?.()
  }

  override updateState(output: string, state: Tensor): void {
    this.#expectExecuting()
    super.updateState(output, state)
  }

  reschedule(): void {
    this.#expectExecuting()
    if (!this.#owner.signature.sequence?.isIterative) {
      throw new TritonError(
        'INVALID_ARG',
        'Request is released with TRITONSERVER_REQUEST_RELEASE_RESCHEDULE, while the model is not configured to handle such a flag.',
      )
    }
    if (this.#cancelled) {
      this.#release()
      return
    }
    const batch = this.#batch
    const kept = this.#kept
    batch?.recordSuccess(this)
    this.#state = 'PENDING'
    this.#batch = undefined
    this.#startTime = this.#owner.clock.now()
    this.#telemetry.queued()
    this.#kept = false
    this.isCounted = false
    this.continueSequence()
    try {
      this.#owner.reschedule(this)
    } catch (error) {
      this.#state = 'EXECUTING'
      this.#batch = batch
      this.#kept = kept
      throw error
    }
  }

  /** Ends the request with an error at whatever stage it is. */
  reject(error: TritonError, reason: FailureReason): void {
    if (!this.#cancelled) this.#telemetry.failed(reason, this.#batch)
    this.#endWith(error)
  }

  #endWith(error: TritonError): void {
    this.#telemetry.failedWith(error)
    this.#release()
    if (!this.#cancelled) this.#listener.onError(error)
  }

  /** The caller gives up: it hears CANCELLED now; the backend is told if it has the request. */
  cancel(cause?: unknown): void {
    this.abandon(new TritonError('CANCELLED', 'the request was cancelled', { cause }), 'CANCELED')
  }

  /** Answers the caller with `error` without waiting for the backend, nor for the turn of an answer that is there. */
  abandon(error: TritonError, reason: FailureReason): void {
    if (this.#settled) return
    this.#cancelled = true
    this.#telemetry.failedWith(error)
    this.settle()
    if (this.#state !== 'RELEASED') this.#telemetry.cancelled(reason, this.#batch)
    if (this.#state === 'PENDING' && this.#owner.withdraw(this)) this.#release()
    this.#abort?.abort(error)
    this.#batch?.cancelled?.(error)
    this.cancelNested(error)
    this.#listener.onError(error)
  }

  /** Cancels the requests that serve it, and when it was the last of its batch those that serve that. */
  cancelNested(cause: TritonError): void {
    this.#nested?.cancel(cause)
    const { runsWith = [] } = this
    if (runsWith.some((member) => !member.isFiller && !member.isCancelled)) return
    for (const member of runsWith) if (member instanceof InferenceRequest) member.#nested?.cancelShared(cause)
  }

  computed(compute: ComputeDurations): void {
    if (this.parent !== undefined) this.parent.#batch?.addNested?.(compute)
  }

  #adopt(nested: InferenceRequest, isShared: boolean): NestedLink {
    this.#nested ??= new NestedRequests()
    return this.#nested.add(nested, isShared)
  }

  #expectExecuting(): void {
    if (this.#state === 'EXECUTING') return
    throw new TritonError('INTERNAL', `backend answered request '${this.id}' while it is ${this.#state}`)
  }

  #succeed(outputs?: Outputs): void {
    if (!this.#cancelled) {
      this.#batch?.recordSuccess(this)
      if (outputs !== undefined) this.#telemetry.responded(outputs)
    }
    this.#release()
  }

  #release(): void {
    this.#state = 'RELEASED'
    this.#telemetry.released(this.#cancelled)
    if (!this.#intercepted) this.settle()
    this.#owner.release(this)
  }
}
