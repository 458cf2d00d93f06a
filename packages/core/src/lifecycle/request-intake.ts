import { TritonError } from '../errors.ts'
import type { RoutedRequest } from '../request/infer-request.ts'
import { InferenceRequest } from '../request/inference-request.ts'
import { circularWaitError, expectNestable, expectNotBehindCaller } from '../request/nesting.ts'
import type { RequestOwner } from '../request/request-owner.ts'
import { requestPrefix, type ValidatedRequest, validateRequest } from '../request/validate-request.ts'
import { waitsForEver } from '../request/waits-for-ever.ts'
import type { ResponseListener } from '../response/response-listener.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { stoppingError } from '../scheduler/stopping-error.ts'
import type { RequestsInFlight } from './requests-in-flight.ts'

/** The way into a model version: checks requests and hands them to its scheduler. */
export class RequestIntake {
  readonly #owner: RequestOwner
  readonly #scheduler: Scheduler
  readonly #inflight: RequestsInFlight
  #isStopped = false

  /** @param owner of the requests. */
  constructor(owner: RequestOwner, scheduler: Scheduler, inflight: RequestsInFlight) {
    this.#owner = owner
    this.#scheduler = scheduler
    this.#inflight = inflight
  }

  /**
   * Takes a request of a client.
   * @throws TritonError when the request is not taken; the listener then hears nothing.
   */
  send(request: RoutedRequest, listener: ResponseListener): InferenceRequest {
    if (this.#isStopped) throw this.#refusal(request, stoppingError(requestPrefix(request.id)))
    const { tracer, signature } = this.#owner
    const trace = request.trace === undefined ? tracer?.start(signature.modelName) : undefined
    if (trace === undefined) return this.sendNested(request, listener)
    try {
      return this.sendNested({ ...request, trace }, listener)
    } finally {
      trace.release()
    }
  }

  /**
   * The same for a request that serves another one; it is taken after `stop`, too.
   * @param parent the request of another model that it serves.
   * @param servesBatch it serves the whole batch of `parent`.
   */
  sendNested(
    request: RoutedRequest,
    listener: ResponseListener,
    parent?: InferenceRequest,
    servesBatch?: boolean,
  ): InferenceRequest {
    const owner = this.#owner
    const valid = this.#validate(request, parent)
    const inference = new InferenceRequest(owner, request, valid, listener, parent, servesBatch)
    this.#inflight.add(inference)
    if (!inference.arrive()) return inference
    try {
      if (parent !== undefined) expectNotBehindCaller(inference)
      this.#scheduler.enqueue(inference)
    } catch (error) {
      inference.discard(error)
      throw error
    }
    if (parent !== undefined && waitsForEver(inference)) {
      this.#scheduler.withdraw(inference)
      const error = circularWaitError(inference, owner.runs.length)
      inference.discard(error)
      throw error
    }
    return inference
  }

  #validate(request: RoutedRequest, parent: InferenceRequest | undefined): ValidatedRequest {
    const { signature } = this.#owner
    try {
      if (request.signal?.aborted) {
        throw new TritonError('CANCELLED', 'the request was cancelled', { cause: request.signal.reason })
      }
      if (parent !== undefined) expectNestable(signature.modelName, parent)
      return validateRequest(signature, request)
    } catch (error) {
      throw this.#refusal(request, error)
    }
  }

  #refusal(request: RoutedRequest, error: unknown): unknown {
    this.#owner.reports.refused(request.id ?? '', error)
    return error
  }

  /** From now on every request of a client is refused, but for those of sequences that have begun. */
  stop(): void {
    if (this.#scheduler.stopAccepting === undefined) this.#isStopped = true
    else this.#scheduler.stopAccepting()
  }
}
